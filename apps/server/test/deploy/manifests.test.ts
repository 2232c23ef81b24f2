import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nginxIsTested, startNginx, worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { canopyProcess } from '../canopy.js'
import { dataOf, seedData, serverOfTest } from '../startServer.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

// oxlint-disable typescript/no-explicit-any
// biome-ignore lint/suspicious/noExplicitAny: The schemas check it.
type Manifest = { readonly kind: string; readonly [field: string]: any }
// oxlint-enable typescript/no-explicit-any

const manifests: ReadonlyArray<Manifest> = readdirSync(join(root, 'deploy/kubernetes')).flatMap((name) =>
  parseAllDocuments(textOf(`deploy/kubernetes/${name}`)).map((document) => document.toJS() as Manifest),
)

const theOne = (kind: string): Manifest => manifests.find((each) => each.kind === kind) ?? expect.fail(kind)
const [deployment, job, service] = [theOne('Deployment'), theOne('Job'), theOne('Service')]
const [budget, policy] = [theOne('PodDisruptionBudget'), theOne('NetworkPolicy')]
const pod = deployment['spec'].template.spec
const [server] = pod.containers

describe('the Kubernetes manifests', () => {
  const over = dataOf()

  it.each(manifests)('satisfy the schema of $kind', (manifest) => {
    const module = `kubernetes-models/${manifest['apiVersion']}/${manifest.kind}`
    const { [manifest.kind]: Model } = createRequire(import.meta.url)(module)
    expect(() => new Model(manifest).validate()).not.toThrow()
  })

  it('agree on labels, ports and the time to stop', () => {
    const { labels } = deployment['spec'].template.metadata
    const matched = [deployment, budget].map(({ spec }) => spec.selector.matchLabels)
    for (const selector of [...matched, service['spec'].selector, policy['spec'].podSelector.matchLabels])
      expect(labels).toMatchObject(selector)
    expect(job['spec'].template.metadata.labels).not.toMatchObject(service['spec'].selector)
    const ports = server.ports.map(({ name }: { name: string }) => name)
    const asked = [server.readinessProbe, server.livenessProbe].map(({ httpGet }) => httpGet.port)
    for (const port of [...asked, service['spec'].ports[0].targetPort]) expect(ports).toContain(port)
    for (const each of [pod, job['spec'].template.spec]) expect(each.enableServiceLinks).toBe(false)
    const drainMs = Number(variables(server)['CANOPY_DRAIN_MS'])
    expect(drainMs).toBeGreaterThan(2_000 * server.readinessProbe.periodSeconds)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan((drainMs + 30_000) / 1000 + 8)
    expect(budget['spec'].maxUnavailable).toBeLessThan(deployment['spec'].replicas)
  })

  it('trust X-Forwarded-For from single addresses only', () => {
    const { CANOPY_TRUSTED_PROXIES = '' } = variables(server)
    expect(CANOPY_TRUSTED_PROXIES.split(',').map((address) => isIP(address))).toEqual([4, 4])
  })

  it('run without root, a writable root, capabilities or a token of the cluster', () => {
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
    for (const each of [pod, job['spec'].template.spec]) {
      expect(each).toMatchObject({ securityContext, automountServiceAccountToken: false })
      for (const container of each.containers)
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  it('start a server that is ready, over the registry of the Job', async () => {
    const [migrate] = job['spec'].template.spec.containers
    await canopyProcess(over.data, migrate.args, ['account', 'create'])
    const { CANOPY_STORAGE, ...rest } = variables(server)
    expect(CANOPY_STORAGE).toMatch(/^s3:/)
    const running = await serverOfTest({ ...rest, CANOPY_METRICS_PORT: '0', CANOPY_DATA: over.data })
    for (const { httpGet } of [server.readinessProbe, server.livenessProbe])
      expect(await running.status(httpGet.path)).toBe(200)
    await running.end('SIGKILL')
  })
})

const variables = ({ env }: { env: ReadonlyArray<{ name: string; value?: string }> }): Record<string, string> =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))

describe('the compose files', () => {
  const over = dataOf((data) => seedData(data, worldWith()))

  it.each(['compose.yaml', 'compose.servers.yaml'])('run a server with a read-only root: %s', (name) => {
    expect(parse(textOf(`deploy/${name}`), { merge: true }).services.server).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  it.runIf(nginxIsTested)('have an nginx that balances over servers, and skips one that is gone', async () => {
    const servers = await Promise.all([0, 1].map(() => serverOfTest({ CANOPY_DATA: over.data })))
    const shipped = textOf('deploy/nginx-servers.conf')
    const addresses = servers.map(({ port }) => `server 127.0.0.1:${port} max_fails=0;`).join('\n')
    const nginx = await startNginx((port) =>
      shipped
        .replace('server server:8080 max_fails=0;', addresses)
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
        .replaceAll(/\/dev\/std(out|err)/g, '/dev/null'),
    )
    onTestFinished(nginx.stop)
    const target = '/api/usercontent/v1/diritems/id/1'
    const askOften = async () => {
      for (let times = 0; times < 10; times += 1)
        expect((await request(nginx.port, { method: 'GET', target })).status).toBe(200)
    }
    await askOften()
    for (const { said } of servers) await expect.poll(() => said('request').length).toBeGreaterThan(2)
    await servers[0]?.end('SIGKILL')
    await askOften()
  })
})
