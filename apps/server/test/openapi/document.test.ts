import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Envelope, Items, Name, TreeNode, U64, Visibility } from '@canopy/domain'
import { HttpError, parseBounds, parsePage, Route } from '@canopy/http'
import { arbitraries, scenarios } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { exactJson, examplesIn, openApi, resolved, satisfies } from './openApi.js'

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
  '/files/token/{token}/{path}': 'storageFile',
  '/files/token/{token}': 'storageFileOfRoot',
  '/files/id/{userid}/{path}': 'userContentFile',
  '/files/id/{userid}': 'userContentFileOfRoot',
  '/healthz': 'healthz',
  '/readyz': 'readyz',
}

const items = Object.entries(openApi.paths)
const operations = items.map(([, { get }]) => get)
const responses = operations.flatMap((operation) => Object.entries(operation.responses))

const ofUserContent = ['permission denied', 'file not found', 'type mismatch', 'external']
const ofStorage = ['invalid token', 'not verified', ...ofUserContent]

/** The interface, part 7; that the domain's operations fail with these, a type test of the domain says. */
const failures: { readonly [Of in Route.Operation | Route.FileRoute]: ReadonlyArray<string> } = {
  storageTree: ofStorage,
  userContentTree: ofUserContent,
  storageDirItems: ofStorage,
  userContentDirItems: ofUserContent,
  triggerPeek: ['trigger not found', 'external'],
  storageFile: [...ofStorage, 'too large'],
  userContentFile: [...ofUserContent, 'too large'],
}

/** The names of the errors that an operation answers with. That each has its status, the answers to the scenarios show. */
const errorsOf = (operationId: string): ReadonlySet<string> => {
  const operation = operations.find((each) => each.operationId === operationId)
  const values = Object.values(operation?.responses ?? {}).flatMap((response) =>
    examplesIn(response).map(({ value }) => value as { readonly type: string; readonly error: string }),
  )
  return new Set(values.flatMap(({ type, error }) => (type === 'error' ? [error] : [])))
}

interface ErrorSchema {
  readonly $ref?: string
  readonly allOf?: ReadonlyArray<ErrorSchema>
  readonly properties?: { readonly error?: { readonly enum: ReadonlyArray<string> } }
}

/** The names that an error's schema admits: those that each part of it admits. */
const namesIn = (schema: ErrorSchema): ReadonlyArray<string> => {
  const { allOf = [], properties } = resolved(schema)
  const parts = [...(properties?.error === undefined ? [] : [properties.error.enum]), ...allOf.map(namesIn)]
  const [first = [], ...others] = parts
  return first.filter((name) => others.every((part) => part.includes(name)))
}

/** The names by status, as the schemas of an operation's errors declare them. */
const declaredErrors = (operationId: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { responses = {} } = operations.find((each) => each.operationId === operationId) ?? {}
  return Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => [
        status,
        Object.values(resolved(response).content ?? {}).flatMap(({ schema }) => [...namesIn(schema)].sort()),
      ]),
  )
}

const byStatus = (
  names: ReadonlyArray<string>,
  statusesOfBadRequest: ReadonlyArray<number>,
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const expected: Record<string, Array<string>> = {}
  for (const name of names) {
    const status = HttpError.statuses[name as HttpError.HttpErrorName]
    expected[status] = [...(expected[status] ?? []), name].sort()
  }
  for (const status of statusesOfBadRequest) expected[status] = ['bad request']
  return expected
}

const { headTooLate, headTooLarge, rangeNotSatisfiable } = HttpError
const statusesOfHead = [headTooLate.status, headTooLarge.status]
const statusesOfFile = [...statusesOfHead, rangeNotSatisfiable(0n).status]

describe('the OpenAPI document', () => {
  it('has the five operations, files and the two probes, by GET, and nothing else', () => {
    expect(Object.fromEntries(items.map(([path, { get }]) => [path, get.operationId]))).toEqual(operationIds)
    expect(new Set(items.flatMap(([, item]) => Object.keys(item)))).toEqual(new Set(['get']))
  })

  it.each([...Object.values(Route.routes), ...Object.values(Route.fileRoutes)])(
    'declares for each status of $operation exactly its errors',
    (route) => {
      const { operation, takesPath, credential } = route
      const all = ['bad request', 'overloaded', ...(credential !== 'user id' ? ['too many requests'] : [])]
      all.push(...failures[operation])
      // Every area has a root, and it is a directory: where it is missing, the storage failed.
      // A root is a directory, so a request for its file is a mismatch.
      const ofNoRoot = operation in Route.fileRoutes ? ['file not found'] : ['file not found', 'type mismatch']
      const ofRoot = all.filter((name) => !ofNoRoot.includes(name))
      expect(errorsOf(operation)).toEqual(new Set(all))
      expect(errorsOf(`${operation}OfRoot`)).toEqual(new Set(takesPath ? ofRoot : []))
      const ofHead = operation in Route.fileRoutes ? statusesOfFile : statusesOfHead
      expect(declaredErrors(operation)).toEqual(byStatus(all, ofHead))
      expect(declaredErrors(`${operation}OfRoot`)).toEqual(takesPath ? byStatus(ofRoot, statusesOfHead) : {})
    },
  )

  it.each(['healthz', 'readyz'])('gives %s the errors of a malformed request alone', (probe) => {
    expect(errorsOf(probe)).toEqual(new Set(['bad request']))
    expect(declaredErrors(probe)).toMatchObject(byStatus(['bad request'], statusesOfHead))
  })

  it('keeps files apart from the operations, by their tag', () => {
    const tagged = operations.filter(({ tags }) => tags.includes('files')).map(({ operationId }) => operationId)
    expect(tagged.map((id) => id.replace('OfRoot', ''))).toEqual(
      Object.keys(Route.fileRoutes).flatMap((id) => [id, id]),
    )
  })

  it('knows every name of an error', () => {
    const ofFiles = ['too large']
    expect(openApi.components.schemas['FileErrorEnvelope']).toMatchObject({
      properties: { error: { enum: ['bad request', ...ofFiles] } },
    })
    expect(openApi.components.schemas['ErrorEnvelope']).toMatchObject({
      properties: {
        error: { enum: Object.keys(HttpError.statuses).filter((name) => !ofFiles.includes(name)) },
        parameter: { enum: ['depth', 'limit', 'after', 'name'] },
      },
    })
  })

  it('shows successes by answers of the scenarios that it names', () => {
    const shown = [
      ...new Set(responses.filter(([status]) => status === '200').map(([, response]) => resolved(response))),
    ]
      .flatMap(examplesIn)
      .filter(({ summary }) => summary !== undefined)
    expect(shown).toHaveLength(9)
    for (const { summary, value } of shown) {
      const answer = scenarios.find(({ name }) => name === summary)?.answer
      const body = answer !== undefined && 'body' in answer ? answer.body : '"no such scenario"'
      expect(value).toEqual(typeof value === 'string' ? body : exactJson(body))
    }
  })

  it('shows no example that its own schema refuses', () => {
    const media = responses.flatMap(([, response]) => Object.values(resolved(response).content ?? {}))
    expect(media.length).toBeGreaterThan(80)
    for (const { schema, examples } of media)
      for (const { value } of Object.values(examples)) expect(satisfies(schema, value)).toBe(true)
  })

  it.each(['token', 'triggerid'])('says of a %s that it is a secret', (name) => {
    expect(openApi.components.parameters[name]).toMatchObject({ description: expect.stringMatching(/a secret/i) })
  })

  it('has the version and the licence of the server', () => {
    const { version, license } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const contact = { name: 'Canopy contributors' }
    expect(openApi.info).toMatchObject({ version, license: { identifier: license }, contact })
  })

  it('passes the linter', () => {
    const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
    const command = [redocly, 'lint', 'src/openapi/openapi.yaml', '--config=redocly.yaml', '--format=stylish']
    const { status, stdout } = spawnSync(process.execPath, command, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, ''])
  })
})

describe('a parameter of the document', () => {
  const accepts = (parameter: string, value: unknown): boolean =>
    satisfies(openApi.components.parameters[parameter]?.schema ?? {}, value)

  /** What a whole number looks like in a query, and what does not. */
  const digits = fc.oneof(
    fc.bigInt({ min: -3n, max: 10n ** 30n }).map(String),
    fc.constantFrom('0', '1', '00', '01', '1.0', '1e3', '-0', '+1', ' 1', '', 'x', '0x1'),
  )
  const isDecimal = (text: string): boolean => /^-?(0|[1-9][0-9]*)$/.test(text) && text !== '-0'

  it.each<readonly [string, (query: string) => E.Either<unknown, unknown>]>([
    ['depth', parseBounds(1)],
    ['limit', parsePage],
  ])('%s is what the service takes', (name, taken) => {
    fc.assert(
      fc.property(digits, (text) => {
        // As a value of JSON, which a parameter in a query is not.
        const isAccepted = isDecimal(text) && accepts(name, exactJson(text))
        expect(E.isRight(taken(`${name}=${encodeURIComponent(text)}`))).toBe(isAccepted)
      }),
    )
  })
})

describe('a schema of the document', () => {
  interface Decoder {
    readonly decode: (value: unknown) => E.Either<unknown, unknown>
  }
  const { treeNode, directoryItem, nodeVisibility, visibility, name, u64, triggerValue, failure } = arbitraries

  /** The schema, the codec that decodes the same, and what the service writes for any value. */
  const shapes: ReadonlyArray<readonly [string, Decoder, fc.Arbitrary<string>]> = [
    ['U64', U64.codec, u64.map(String)],
    ['Name', Name.codec, name.map((text) => JSON.stringify(text))],
    ['Visibility', Visibility.codec, visibility.map((text) => JSON.stringify(text))],
    ['NodeVisibility', Visibility.nodeCodec, nodeVisibility.map(Visibility.json)],
    ['TreeNode', TreeNode.codec, treeNode.map(TreeNode.json)],
    ['DirectoryItem', Items.codec, directoryItem.map(Items.json)],
    ['TreeEnvelope', Envelope.treeCodec, treeNode.map(Envelope.treeJson)],
    [
      'DirContentEnvelope',
      Envelope.dirContentCodec,
      fc.array(directoryItem, { maxLength: 5 }).map(Envelope.dirContentJson),
    ],
    ['TriggerPeakEnvelope', Envelope.triggerPeakCodec, triggerValue.map(Envelope.triggerPeakJson)],
    ['ErrorEnvelope', Envelope.errorCodec, failure.map(({ error }) => Envelope.errorJson(error))],
  ]

  const integer = fc.oneof(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.integer())
  const words = ['public', 'hidden', 'private', 'Public', 'dir', 'file', 'tree', '.', '..', '...', 'a/b', '', 'a\0b']
  const anyJson = fc.oneof(
    fc.jsonValue(),
    integer.map(String).map(exactJson),
    fc.constantFrom(...words, 'x'.repeat(256), true),
  )

  /** A value with one field, at any depth, taken away or made anything. */
  const spoilt = (value: unknown): fc.Arbitrary<unknown> => {
    if (typeof value !== 'object' || value === null) return anyJson
    const entries = Object.entries(value)
    const changed = entries.map(([key, field]) =>
      spoilt(field).map((other) => Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: other })),
    )
    const without = entries.map(([key]) => fc.constant(Object.fromEntries(entries.filter(([other]) => other !== key))))
    return fc.oneof(anyJson, ...changed, ...without)
  }

  // That the codecs refuse what they must, the tests of the domain show.
  it.each(shapes)(
    '%s accepts what the service writes, and of all else what the codec accepts',
    (schema, codec, written) => {
      const accepted = (value: unknown) => [
        satisfies(openApi.components.schemas[schema] ?? {}, value),
        E.isRight(codec.decode(value)),
      ]
      fc.assert(
        fc.property(written, (text) => {
          expect(accepted(exactJson(text))).toEqual([true, true])
        }),
      )
      let refused = 0
      fc.assert(
        fc.property(
          fc.oneof(
            anyJson,
            written.chain((text) => spoilt(exactJson(text))),
          ),
          (value) => {
            const [bySchema, byCodec] = accepted(value)
            if (bySchema === false) refused += 1
            expect(bySchema).toBe(byCodec)
          },
        ),
        { numRuns: 1_000 },
      )
      expect(refused).toBeGreaterThan(100)
    },
  )
})
