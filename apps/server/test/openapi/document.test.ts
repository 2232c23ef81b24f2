import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Scenario, scenarios } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { failuresOf } from '../../src/openapi/columns.js'
import { documentText } from '../../src/openapi/document.js'
import { routes } from '../../src/routes.js'
import { exactJson } from './exactJson.js'
import { type Operation, openApi, operationsOf, type Response, type Responses, resolved } from './openApi.js'
import { satisfies } from './satisfies.js'

/** The interface, part 4; where a path follows, it may be absent. */
const paths = {
  '/api/storage/v1/tree/{token}': 'storageTreeOfRoot',
  '/api/storage/v1/tree/{token}/{path}': 'storageTree',
  '/api/usercontent/v1/tree/id/{userid}': 'userContentTreeOfRoot',
  '/api/usercontent/v1/tree/id/{userid}/{path}': 'userContentTree',
  '/api/storage/v1/diritems/{token}': 'storageDirItemsOfRoot',
  '/api/storage/v1/diritems/{token}/{path}': 'storageDirItems',
  '/api/usercontent/v1/diritems/id/{userid}': 'userContentDirItemsOfRoot',
  '/api/usercontent/v1/diritems/id/{userid}/{path}': 'userContentDirItems',
  '/api/triggers/v1/peek/{triggerid}': 'triggerPeek',
}

/** Beside them. */
const probes = { '/healthz': 'healthz', '/readyz': 'readyz' }

const allItems = Object.entries(openApi.paths)
const items = allItems.filter(([path]) => !(path in probes))
const probeItems = allItems.filter(([path]) => path in probes)

const rowOf = ({ operationId }: Operation): string => operationId.replace('OfRoot', '')

const ofRow = (operation: string): ReadonlyArray<Scenario> => scenarios.filter(({ ask }) => ask.operation === operation)

const examplesOf = (operation: Operation) =>
  Object.values(resolved(operation.responses[200] ?? {}).content ?? {}).flatMap(({ schema, examples }) =>
    Object.values(examples).map((example) => ({ schema, example })),
  )

describe('the OpenAPI document', () => {
  it('has the five operations of the interface and the two probes, and nothing else', () => {
    expect(Object.fromEntries(allItems.map(([path, { get }]) => [path, get.operationId]))).toEqual({
      ...paths,
      ...probes,
    })
  })

  it('has exactly the rows of the routes', () => {
    expect([...new Set(items.map(([, { get }]) => rowOf(get)))]).toEqual(routes.map(({ operation }) => operation))
    for (const { prefix, operation, takesPath } of routes) {
      const own = items.filter(([, { get }]) => rowOf(get) === operation).map(([path]) => path.slice(prefix.length))
      expect(own.map((rest) => rest.replace(/\{\w+\}/, ''))).toEqual(takesPath ? ['', '/{path}'] : [''])
    }
  })

  it('has HEAD and OPTIONS wherever it has GET, HEAD alone of probes, and no two operations of one name', () => {
    for (const [, item] of items) expect(Object.keys(item)).toEqual(['get', 'head', 'options'])
    for (const [, item] of probeItems) expect(Object.keys(item)).toEqual(['get', 'head', 'x-other-methods'])
    const ids = allItems.flatMap(([, item]) => operationsOf(item).map(({ operationId }) => operationId))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(routes.map(({ operation }) => operation))('gives %s the errors that its scenarios have', (operation) => {
    const inScenarios = ofRow(operation).flatMap(({ answer }) => ('error' in answer ? [answer.error] : []))
    expect(new Set(failuresOf(operation))).toEqual(new Set(inScenarios))
  })

  it.each(items.map(([, { get }]) => get))('shows $operationId by answers of the scenarios it names', (operation) => {
    const examples = examplesOf(operation)
    expect(examples.length).toBeGreaterThan(0)
    for (const { schema, example } of examples) {
      const [scenario] = ofRow(rowOf(operation)).filter(({ name }) => name === example.summary)
      const answer = scenario !== undefined && 'body' in scenario.answer ? scenario.answer.body : '"no such scenario"'
      expect(example.value).toEqual(exactJson(answer))
      expect(satisfies(schema, example.value)).toBe(true)
    }
  })

  it('shows errors that satisfy their own schemas', () => {
    const errors = allItems
      .flatMap(([, item]) => operationsOf(item))
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, response]) => Object.values(resolved(response).content ?? {}))
    expect(errors.length).toBeGreaterThan(0)
    for (const { schema, examples } of errors)
      for (const { value } of Object.values(examples)) expect(satisfies(schema, value)).toBe(true)
  })

  it('says in words what is answered to every other path and method', () => {
    const errorsIn = (response: Response): ReadonlyArray<string> =>
      Object.values(resolved(response).content ?? {}).flatMap(({ examples }) =>
        Object.values(examples).map(({ value }) => `\`${(value as { readonly error: string }).error}\``),
      )
    const row = (asked: string, responses: Responses): string => {
      const answers = Object.entries(responses).map(
        ([status, response]) => `${status} ${errorsIn(response).join(', ')}`,
      )
      return `| ${asked} | ${answers.join(', ')} |`
    }
    const methodsOf = (responses: Responses): string | undefined => responses[405]?.headers?.['Allow']?.schema.const
    const ofProbes = probeItems.map(([, item]) => item['x-other-methods'] ?? {})
    const rows = [
      row('any other path', openApi['x-other-paths']),
      row(
        `an operation, by another method than \`${methodsOf(openApi['x-other-methods'])}\``,
        openApi['x-other-methods'],
      ),
      ...ofProbes.map((responses) => row(`a probe, by another method than \`${methodsOf(responses)}\``, responses)),
    ]
    const written = openApi.info.description.split('\n').filter((text) => text.startsWith('| a'))
    expect(written).toEqual([...new Set(rows)])
    expect(written.join()).toMatch(/404 `no such route`.*405 `method not allowed`.*405 `method not allowed`/)
  })

  it('says what every header is for', () => {
    const responses = [
      ...Object.values(openApi.components.responses),
      ...[openApi['x-other-paths'], openApi['x-other-methods']].flatMap((others) => Object.values(others)),
      ...allItems.flatMap(([, item]) =>
        [item['x-other-methods'] ?? {}, ...operationsOf(item).map((operation) => operation.responses)].flatMap(
          (answers) => Object.values(answers),
        ),
      ),
    ].map(resolved)
    const headers = [openApi.components.headers, ...responses.map((response) => response.headers ?? {})]
      .flatMap((named) => Object.entries(named))
      .map(([name, header]) => [name, resolved(header).description] as const)
    expect(new Set(headers.map(([name]) => name)).size).toBeGreaterThan(11)
    expect(headers.filter(([, description]) => !/^[A-Z].*\.$/.test(description ?? ''))).toEqual([])
  })

  it('names the largest number to its last digit', () => {
    expect(openApi.components.schemas['U64']).toMatchObject({ minimum: 0, maximum: 18446744073709551615n })
  })

  it('says of tokens and trigger ids that they are secrets', () => {
    for (const name of ['token', 'triggerid'])
      expect(openApi.components.parameters[name]).toMatchObject({ description: expect.stringMatching(/a secret/i) })
  })

  it('has the version of the server', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    expect(openApi.info.version).toBe(JSON.parse(manifest).version)
  })

  it('names no licence: one without a text to link to is refused by validators', () => {
    expect(openApi.info).not.toHaveProperty('license')
  })

  it('has no complaint from its linter', () => {
    const directory = mkdtempSync(join(tmpdir(), 'canopy-openapi-'))
    const file = join(directory, 'openapi.json')
    writeFileSync(file, documentText)
    const script = fileURLToPath(new URL('../../../../scripts/lint-openapi.mjs', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' })
    rmSync(directory, { recursive: true })
    expect([status, stderr]).toEqual([0, ''])
  })
})
