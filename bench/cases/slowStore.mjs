import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browsersToTest, findCeph, startBrokenStore, startCeph } from '@canopy/test-support'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { judged } from '../figures.mjs'
import { ask, timeOfAnswer } from '../http.mjs'
import { residentNow, residentPeak } from '../memory.mjs'
import { count } from '../numbers.mjs'
import { progress, withServers } from '../processes.mjs'
import { rounds } from '../rounds.mjs'
import { seedKeys } from '../seedKeys.mjs'

const delayMs = 100

const nameOf = (index) => `file-${String(index).padStart(6, '0')}.txt`

/** Milliseconds until the explorer shows the first rows of a directory, in a new browser context. */
const timeOfExplorer = async (browser, port) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const began = performance.now()
  await page.goto(`http://127.0.0.1:${port}/browse/id/1`)
  await page.waitForSelector('.rows .row', { timeout: 60_000 })
  const ms = performance.now() - began
  await context.close()
  return ms
}

const timeOfFirstByte = (port, path) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let ms
    ask(port, path, {
      onChunk: () => {
        ms ??= performance.now() - began
      },
    }).then(() => resolve(ms), reject)
  })

const measure = async ({ options }, home, store) => {
  const files = options.quick ? 3_000 : 300_000
  const bucket = await store.newBucket('public-read-write')
  progress(`${count(files)} objects in one directory, which take some minutes`)
  const seeding = performance.now()
  await seedKeys(
    store,
    bucket,
    Array.from({ length: files }, (_, index) => `1/${nameOf(index)}`),
  )
  progress(`seeded ${count(Math.round((files / (performance.now() - seeding)) * 1000))} objects a second`)
  const slow = await startBrokenStore(store)
  await slow.breakNow({ afterMs: delayMs })
  const data = join(home, 'data')
  const url = `s3://${bucket}?endpoint=${slow.endpoint}&region=${store.region}&pathStyle=true`
  const variables = { CANOPY_STORAGE: url, ...store.variables }
  await createPublic(canopy(data, variables), '1')
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch(browsersToTest(process.env, 'The bench').chromium())
  try {
    return await withServers([() => startCanopy(data, variables)], async ([{ port, pid }]) => {
      const idle = residentNow(pid)
      const listing = '/api/usercontent/v1/diritems/id/1'
      const tree = '/api/usercontent/v1/tree/id/1?depth=1'
      const middle = encodeURIComponent(nameOf(files / 2))
      const subjects = [
        ['the first page of 1,000', () => timeOfAnswer(port, `${listing}?limit=1000`)],
        ['a page of 1,000 in the middle', () => timeOfAnswer(port, `${listing}?limit=1000&after=${middle}`)],
        ['the explorer, until it shows rows', () => timeOfExplorer(browser, port)],
        ['the first byte of the whole listing', () => timeOfFirstByte(port, listing)],
        ['the whole listing', () => timeOfAnswer(port, listing)],
        ['the tree with `?depth=1`', () => timeOfAnswer(port, tree)],
      ]
      const requests = []
      const timed = async ([what, time]) => {
        slow.clear()
        const ms = await time()
        requests.push(`${what}: ${count(slow.asked.length)}`)
        return ms
      }
      const times = await rounds(options.rounds, subjects, timed)
      progress(`requests to the store: ${requests.slice(0, subjects.length).join('; ')}`)
      return [
        ...subjects.map(([what], index) => judged({ what, unit: 'ms', ours: times[index] })),
        judged({ what: 'peak memory, less idle memory', unit: 'MB', ours: [residentPeak(pid) - idle] }),
      ]
    })
  } finally {
    await browser.close()
    await slow.stop()
  }
}

export const slowStore = {
  name: 'slowStore',
  title: `One large directory over Ceph, ${delayMs} ms a request`,
  mostRounds: 2,
  run: async (context) => {
    if (findCeph(process.env)._tag === 'Left') {
      progress('needs Ceph (Debian: apt-get install radosgw ceph-mon ceph-osd): not measured')
      return []
    }
    const home = await mkdtemp(join(tmpdir(), 'canopy-bench-slow-'))
    const store = await startCeph()
    try {
      return await measure(context, home, store)
    } finally {
      await store.stop()
      await rm(home, { recursive: true, force: true })
    }
  },
}
