import { inspect } from 'node:util'
import { nonInterference, type RawBackend, runs, swappedBackend } from '@canopy/test-support'
import type { RawResponse } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from './startApp.js'

/** Changes a response by a number that depends on all nodes of a world, invisible ones too. */
type Leak = (response: RawResponse, ofAll: number) => RawResponse

const inBody =
  (write: (text: string, ofAll: number) => string): Leak =>
  (response, ofAll) =>
    response.status === 200 ? { ...response, body: Buffer.from(write(String(response.body), ofAll)) } : response

const leaks: Readonly<Record<string, Leak>> = {
  order: inBody((text, ofAll) => (ofAll % 2 === 0 ? text : text.split('{').reverse().join('{'))),
  sizes: inBody((text, ofAll) => text.replaceAll(/"size":\d+/g, `"size":${ofAll}`)),
  count: (response, ofAll) =>
    ofAll % 2 === 0 ? response : { ...response, headers: response.headers.filter(([key]) => key !== 'Link') },
  'entity tag': (response, ofAll) => ({
    ...response,
    headers: response.headers.map(([key, value]) => [key, key === 'ETag' ? `${ofAll}` : value]),
  }),
  existence: (response, ofAll) =>
    response.status === 403 && ofAll % 2 === 0 ? { ...response, status: 404 } : response,
}

const leaking = (backend: RawBackend, leak: Leak): RawBackend => ({
  ...backend,
  open: async (world) => {
    const { send, close } = await backend.open(world)
    const ofAll = inspect(world, { depth: null }).length
    return { send: async (requests) => (await send(requests)).map((response) => leak(response, ofAll)), close }
  },
})

const serving = async (name: string) => {
  const { backend, close } = await swappedBackend(name, startApp)
  onTestFinished(close)
  return backend
}

it('worlds that differ only in invisible nodes give visitors the same bytes', async () => {
  const pairs = runs(100)
  const report = await nonInterference(await serving('HTTP over memory'), { pairs, seed: 1 })
  expect(report).toMatchObject({ pairs, interference: O.none })
  expect(report.differing).toBeGreaterThan(0.7 * pairs)
})

it.each(Object.entries(leaks))('a leak of invisible nodes is detected: %s', async (_, leak) => {
  const backend = leaking(await serving('a service that leaks'), leak)
  const { interference } = await nonInterference(backend, { pairs: 2000, seed: 1, shrink: false })
  expect(interference).toMatchObject({ _tag: 'Some' })
})
