import { fileURLToPath } from 'node:url'
import { dir, files as filesOf, worldWith } from '@canopy/test-support'
import { expect, it, vi } from 'vitest'
import { plantData } from '../plantData.js'
import { serverOver } from '../startServer.js'

const files = 1000
const tellHeld = fileURLToPath(new URL('tellHeld.cjs', import.meta.url))

const over = serverOver((data) => plantData(data, worldWith([dir('d', ...filesOf(files, 'a file with a name'))])), {
  CANOPY_CACHE_BYTES: '0',
  CANOPY_LOG: 'info',
  NODE_OPTIONS: `--require ${JSON.stringify(tellHeld)}`,
})

/** How many bytes the server holds after some quick rounds of the collector. */
const held = async (): Promise<number> => {
  const reported = () => over.server.lines.filter(({ msg }) => msg === 'held')
  const before = reported().length
  over.server.process.kill('SIGUSR2')
  await vi.waitUntil(() => reported().length > before, 15_000)
  return Number(reported().at(-1)?.['bytes'])
}

/** Node itself keeps what it compresses until the next full round, from 24 on. */
const headers = { 'Accept-Encoding': 'identity' }

/** How many it holds after so many listings, with rounds of the collector in between. */
const heldAfter = async (listings: number): Promise<number> => {
  for (let asked = 0; asked < listings; asked += 1) {
    const answer = await fetch(`http://127.0.0.1:${over.server.port}/api/usercontent/v1/diritems/id/1/d`, { headers })
    expect((await answer.text()).match(/"name"/g)).toHaveLength(files)
    if (asked % 10 === 0) await held()
  }
  return held()
}

it('minor collections take what was read and written for a listing that is not cached: 80 KB', async () => {
  const before = await heldAfter(60)
  const leftBehind = ((await heldAfter(40)) - before) / 40
  expect(leftBehind).toBeLessThan(32 * 1024)
})
