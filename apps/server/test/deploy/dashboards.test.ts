import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { samples } from '../observe/samples.js'
import { plantData } from '../plantData.js'
import { type Server, startServer, temporaryData } from '../startServer.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const promtool = spawnSync('promtool', ['--version']).status === 0

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly runbook: string }
}
const alerts: ReadonlyArray<Alert> = parse(readFileSync(join(root, 'deploy/alerts.yaml'), 'utf8')).groups[0].rules

interface Panel {
  readonly title: string
  readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}
const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana.json'), 'utf8')) as {
  panels: ReadonlyArray<Panel>
}

const queries: ReadonlyArray<readonly [name: string, expr: string, legend: string]> = [
  ...alerts.map(({ alert, expr }) => [alert, expr, ''] as const),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
  ),
]

/** What the Prometheus that scrapes adds. */
const added = { metric: 'up', labels: ['instance', 'job'] }

interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

const seriesOf = (text: string): ReadonlyArray<Series> =>
  [...samples(text).keys()].map((key) => ({
    name: key.replace(/\{.*/s, ''),
    labels: Object.fromEntries(
      [...key.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]),
    ),
  }))

/** The metrics of a query, with the matchers of each. */
const selectorsIn = (expr: string) =>
  [...expr.matchAll(/\b((?:canopy|nodejs|process)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      matchers: [...matchers.matchAll(/([a-z_]+)(=|!=)"([^"]*)"/g)].map(([, label = '', is, value]) => ({
        label,
        is,
        value,
      })),
    }),
  )

/** The labels that a query groups by, and that its legend shows. */
const labelsIn = (expr: string, legend: string): ReadonlyArray<string> => [
  ...[...expr.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */)),
  ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name),
]

describe('the alert rules and the dashboard of deploy', () => {
  let data = ''
  let server: Server
  let series: ReadonlyArray<Series> = []
  beforeAll(async () => {
    data = await temporaryData()
    await plantData(data, { accounts: [], triggers: [] })
    await mkdir(join(data, 'areas'), { recursive: true })
    server = await startServer({ CANOPY_DATA: data, CANOPY_METRICS_PORT: '0' })
    await request(server.port, { method: 'GET', target: '/' })
    const { url } = server.lines.find(({ msg }) => msg === 'metrics') as { readonly url: string }
    const answer = await request(Number(new URL(url).port), { method: 'GET', target: '/metrics' })
    series = seriesOf(answer.body.toString())
  })
  afterAll(async () => {
    await server.end()
    await rm(data, { recursive: true })
  })

  it.each(queries)('ask for metrics and labels that a scrape has: %s: %s', (_, expr, legend) => {
    const selectors = selectorsIn(expr)
    expect(selectors).not.toEqual([])
    const missing = selectors.filter(
      ({ name, matchers }) =>
        name !== added.metric &&
        !series.some(
          (each) =>
            each.name === name &&
            matchers.every(
              ({ label, is, value }) => label in each.labels && (each.labels[label] === value) === (is === '='),
            ),
        ),
    )
    expect(missing).toEqual([])
    const known = series
      .filter(({ name }) => selectors.some((each) => each.name === name))
      .flatMap(({ labels }) => Object.keys(labels))
    expect(labelsIn(expr, legend).filter((label) => ![...known, ...added.labels].includes(label))).toEqual([])
  })

  it.each(alerts)('lead to what is written about an alert: $alert', ({ alert, annotations: { runbook } }) => {
    const [page = '', heading] = runbook.split('#')
    const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text)
    expect(headings).toContain(alert)
    expect(heading).toBe(alert.toLowerCase())
  })

  // `.ci/run` installs promtool.
  it.runIf(promtool)('are right by promtool, which fires each alert, and none where all is well', () => {
    const run = (...words: ReadonlyArray<string>) =>
      spawnSync('promtool', words, { cwd: join(root, 'deploy'), encoding: 'utf8' })
    expect(run('test', 'rules', 'alerts.test.yaml')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('SUCCESS'),
    })
    const tests = readFileSync(join(root, 'deploy/alerts.test.yaml'), 'utf8')
    for (const { alert } of alerts) expect(tests.split(`alertname: ${alert}`)).toHaveLength(3)
    const dashboard = panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
    )
    const rules = {
      groups: [{ name: 'dashboard', rules: dashboard.map((expr, index) => ({ record: `query:${index}`, expr })) }],
    }
    const file = join(data, 'dashboard.json')
    writeFileSync(file, JSON.stringify(rules))
    const { status, stderr } = run('check', 'rules', file)
    expect([status, stderr]).toEqual([0, ''])
  })
})
