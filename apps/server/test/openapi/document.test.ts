import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { scenarios } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { routes } from '../../src/routes.js'
import { exactJson } from './exactJson.js'
import { allNames, failuresOf } from './failures.js'
import { examplesIn, openApi, resolved } from './openApi.js'
import { satisfies } from './satisfies.js'

/** The interface, part 4; a path may be absent, which is a path of its own in OpenAPI. */
const operationIds = {
  '/api/storage/v1/tree/{token}': 'storageTreeOfRoot',
  '/api/storage/v1/tree/{token}/{path}': 'storageTree',
  '/api/usercontent/v1/tree/id/{userid}': 'userContentTreeOfRoot',
  '/api/usercontent/v1/tree/id/{userid}/{path}': 'userContentTree',
  '/api/storage/v1/diritems/{token}': 'storageDirItemsOfRoot',
  '/api/storage/v1/diritems/{token}/{path}': 'storageDirItems',
  '/api/usercontent/v1/diritems/id/{userid}': 'userContentDirItemsOfRoot',
  '/api/usercontent/v1/diritems/id/{userid}/{path}': 'userContentDirItems',
  '/api/triggers/v1/peek/{triggerid}': 'triggerPeek',
  '/healthz': 'healthz',
  '/readyz': 'readyz',
}

const items = Object.entries(openApi.paths)
const operations = items.map(([, { get }]) => get)
const responses = operations.flatMap((operation) => Object.entries(operation.responses))

/** The names of the errors that an operation answers with. That each has its status, the answers to the scenarios show. */
const errorsOf = (operationId: string): ReadonlySet<string> => {
  const operation = operations.find((each) => each.operationId === operationId)
  const values = Object.values(operation?.responses ?? {}).flatMap((response) =>
    examplesIn(response).map(({ value }) => value as { readonly type: string; readonly error: string }),
  )
  return new Set(values.flatMap(({ type, error }) => (type === 'error' ? [error] : [])))
}

/** Every area has a root, and it is a directory: where it is missing, the storage failed. */
const neverOfRoot = ['file not found', 'type mismatch']

describe('the OpenAPI document', () => {
  it('has the five operations of the interface and the two probes, by GET, and nothing else', () => {
    expect(Object.fromEntries(items.map(([path, { get }]) => [path, get.operationId]))).toEqual(operationIds)
    expect(new Set(items.flatMap(([, item]) => Object.keys(item)))).toEqual(new Set(['get']))
  })

  it('has exactly the paths of the routes', () => {
    const segments = { storageTree: '{token}', userContentTree: '{userid}', storageDirItems: '{token}' }
    const parameter = { ...segments, userContentDirItems: '{userid}', triggerPeek: '{triggerid}' }
    expect(
      routes.flatMap(({ prefix, operation, takesPath }) =>
        ['', ...(takesPath ? ['/{path}'] : [])].map((rest) => prefix + parameter[operation] + rest),
      ),
    ).toEqual(items.map(([path]) => path).filter((path) => path.startsWith('/api/')))
  })

  it.each(routes)('gives $operation the errors that the domain gives it, and those of every request', (route) => {
    const { operation, takesPath, credential } = route
    const everywhere = ['bad request', 'overloaded', ...(credential !== 'user id' ? ['too many requests'] : [])]
    const failures = failuresOf(operation)
    const ofRoot = failures.filter((name) => !neverOfRoot.includes(name))
    expect(errorsOf(operation)).toEqual(new Set([...failures, ...everywhere]))
    expect(errorsOf(`${operation}OfRoot`)).toEqual(new Set(takesPath ? [...ofRoot, ...everywhere] : []))
  })

  it.each(['healthz', 'readyz'])('gives %s the errors of a malformed request alone', (probe) => {
    expect(errorsOf(probe)).toEqual(new Set(['bad request']))
  })

  it('knows every name of an error', () => {
    expect(openApi.components.schemas['ErrorEnvelope']).toMatchObject({
      properties: { error: { enum: allNames }, parameter: { enum: ['depth', 'limit', 'after'] } },
    })
  })

  it('shows successes by answers of the scenarios that it names', () => {
    const shown = [
      ...new Set(responses.filter(([status]) => status === '200').map(([, response]) => resolved(response))),
    ]
      .flatMap(examplesIn)
      .filter(({ summary }) => summary !== undefined)
    expect(shown).toHaveLength(7)
    for (const { summary, value } of shown) {
      const answer = scenarios.find(({ name }) => name === summary)?.answer
      expect(value).toEqual(exactJson(answer !== undefined && 'body' in answer ? answer.body : '"no such scenario"'))
    }
  })

  it('shows no example that its own schema refuses', () => {
    const media = responses.flatMap(([, response]) => Object.values(resolved(response).content ?? {}))
    expect(media.length).toBeGreaterThan(80)
    for (const { schema, examples } of media)
      for (const { value } of Object.values(examples)) expect(satisfies(schema, value)).toBe(true)
  })

  it('names the largest number to its last digit', () => {
    expect(openApi.components.schemas['U64']).toMatchObject({ minimum: 0, maximum: 18446744073709551615n })
  })

  it('says of tokens and trigger ids that they are secrets', () => {
    for (const name of ['token', 'triggerid'])
      expect(openApi.components.parameters[name]).toMatchObject({ description: expect.stringMatching(/a secret/i) })
  })

  it('has the version and the licence of the server', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(openApi.info).toMatchObject({
      version: manifest.version,
      license: { identifier: manifest.license },
      contact: { name: 'Canopy contributors' },
    })
  })

  it('has no complaint from Redocly or Spectral', () => {
    const script = fileURLToPath(new URL('../../../../scripts/lint-openapi.mjs', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
