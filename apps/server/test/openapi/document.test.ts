import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Envelope, Items, Name, TreeNode, U64, Visibility } from '@canopy/domain'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { exactJson, openApi, satisfies } from './openApi.js'

it('the OpenAPI document passes the linter', () => {
  const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const command = [redocly, 'lint', 'src/openapi/openapi.yaml', '--config=redocly.yaml', '--format=stylish']
  const { status, stdout } = spawnSync(process.execPath, command, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, ''])
})

describe('a schema of the document', () => {
  interface Decoder {
    readonly decode: (value: unknown) => E.Either<unknown, unknown>
  }
  const { treeNode, directoryItem, nodeVisibility, visibility, name, u64, triggerValue, failure } = arbitraries

  /** The schema, the equivalent codec, and JSON that the service writes. */
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

  const anyJson = fc.oneof(
    fc.jsonValue(),
    fc
      .bigInt({ min: -(2n ** 65n), max: 2n ** 65n })
      .map(String)
      .map(exactJson),
  )

  /** A value with one field, at any depth, removed or replaced. */
  const spoilt = (value: unknown): fc.Arbitrary<unknown> => {
    if (typeof value !== 'object' || value === null) return anyJson
    const entries = Object.entries(value)
    const changed = entries.map(([key, field]) =>
      spoilt(field).map((other) => Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: other })),
    )
    const without = entries.map(([key]) => fc.constant(Object.fromEntries(entries.filter(([other]) => other !== key))))
    return fc.oneof(anyJson, ...changed, ...without)
  }

  // The domain tests the codecs.
  it.each(shapes)('%s accepts what its codec accepts', (schema, codec, written) => {
    const accepted = (value: unknown) => [
      satisfies(openApi.components.schemas[schema] ?? {}, value),
      E.isRight(codec.decode(value)),
    ]
    let refused = 0
    fc.assert(
      fc.property(
        written.map(exactJson).chain((value) => fc.tuple(fc.constant(value), spoilt(value))),
        ([value, other]) => {
          expect(accepted(value)).toEqual([true, true])
          const [bySchema, byCodec] = accepted(other)
          if (bySchema === false) refused += 1
          expect(bySchema).toBe(byCodec)
        },
      ),
      { numRuns: 1_000 },
    )
    expect(refused).toBeGreaterThan(100)
  })
})
