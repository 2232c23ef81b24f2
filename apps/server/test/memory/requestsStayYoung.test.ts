import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { spawnServer, temporaryData } from '../startServer.js'
import { plantListing } from './plantListing.js'

const files = 1000
const tellGuesses = fileURLToPath(new URL('tellGuesses.cjs', import.meta.url))

let data = ''
let server: ReturnType<typeof spawnServer>
const lines: Array<string> = []
const linesWith = (text: string): ReadonlyArray<string> => lines.filter((line) => line.includes(text))

beforeAll(async () => {
  data = await temporaryData()
  await plantListing(data, files)
  server = spawnServer({
    CANOPY_DATA: data,
    CANOPY_PORT: '0',
    CANOPY_KEPT_BYTES: '0',
    NODE_OPTIONS: `--require ${JSON.stringify(tellGuesses)}`,
  })
  createInterface({ input: server.stdout ?? process.stdin }).on('line', (line) => lines.push(line))
  await vi.waitUntil(() => linesWith('"listening"').length > 0, 10_000)
})
afterAll(async () => {
  server.kill()
  await vi.waitUntil(() => server.exitCode !== null, 10_000)
  rmSync(data, { recursive: true })
})

/** So many listings, some at once, so that every round of the collector meets some that are in flight. */
const list = async (listings: number): Promise<void> => {
  const { url } = JSON.parse(linesWith('"listening"')[0] ?? '')
  const askers = 8
  const one = async (): Promise<void> => {
    for (let asked = 0; asked < listings / askers; asked += 1) {
      const answer = await fetch(`${url}/api/usercontent/v1/diritems/id/1/d`)
      expect((await answer.text()).match(/"name"/g)).toHaveLength(files)
    }
  }
  await Promise.all(Array.from({ length: askers }, one))
}

it('of what requests need nothing is made as if it lived long', async () => {
  await list(400)
  expect(linesWith('"request"').length).toBeGreaterThan(0)
  expect(linesWith('pretenuring: ')).toEqual([])
})
