// How long one step holds the event loop where a directory has 300,000 entries: the steps of the domain's operations, and
// the ticks of a server that writes their answers, over ports in memory. Run it on Linux, after a build:
// node apps/server/bench/longSteps.mjs [--entries N]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Area, operations, Settings, StoragePath, Tree, U64 } from '@canopy/domain'
import { busyFor } from '@canopy/test-support'
import { right, serve } from './services.mjs'

const boundMs = 50

/** The fastest round counts, because other work on the machine delays single rounds. */
const rounds = 3

const { entries: counted, serve: isServer } = parseArgs({
  options: { entries: { type: 'string', default: '300000' }, serve: { type: 'boolean', default: false } },
}).values
const count = Number(counted)
if (!Number.isSafeInteger(count) || count < 1000) throw new Error('--entries must be a whole number from 1000')

const token = `cnp_${'A'.repeat(43)}`
const nameAt = (index) => `entry ${String(index).padStart(7, '0')}`
const some = (value) => ({ _tag: 'Some', value })
const none = { _tag: 'None' }

const time = U64.clamp(1_700_000_000n)
const makeEach = (make) => Array.from({ length: count }, (_, index) => ({ name: nameAt(index), ...make(index) }))
const listings = {
  '/files': makeEach((index) => ({ type: 'file', size: U64.clamp(BigInt(index)), last_modified: time })),
  '/directories': makeEach(() => ({ type: 'dir', last_modified: time })),
}

const allPublic = [['/', 'public']]
/** The settings of each user's area. */
const settings = {
  1: Settings.fromEntries(allPublic),
  2: Settings.fromEntries([...allPublic, [`/files/${nameAt(count - 1)}`, 'private']]),
  // All but the last are private.
  3: Settings.fromEntries([
    ['/', 'hidden'],
    ...listings['/files'].slice(0, -1).map(({ name }) => [`/files/${name}`, 'private']),
  ]),
  // Set beside the directory.
  4: Settings.fromEntries([...allPublic, ...listings['/files'].map(({ name }) => [`/elsewhere/${name}`, 'private'])]),
}

const found = (value) => async () => ({ _tag: 'Right', right: value })
const areaOf = (owner) => ({ owner, location: Area.location('memory') })
const ports = {
  areaOfToken: () => found({ area: areaOf(1n), scope: StoragePath.root }),
  areaOfUser: (user) => found(areaOf(user)),
  settingsOf: (owner) => found(settings[owner]),
  nodeAt: (_, path) => found({ type: 'dir', path, last_modified: time }),
  list: (_, path) => found({ entries: listings[path] ?? [], unlistable: 0 }),
  triggerOf: () => found({ type: 'none', json: '{"type":"none"}' }),
}

/** Requests of the owner, and of visitors to each area. */
const cases = [
  { title: 'a page of 1,000 in the middle, owner', items: '/files', limit: 1000, after: nameAt(count >> 1) },
  { title: 'a page of all but 1,000, visitor', user: 2, items: '/files', limit: count - 1000 },
  { title: 'a listing of files, owner', items: '/files' },
  { title: 'a listing of directories, owner', items: '/directories' },
  { title: 'a listing, visitor, one setting below', user: 2, items: '/files' },
  { title: 'a listing, visitor, all but one private', user: 3, items: '/files' },
  { title: 'a page of one, visitor, all but one private', user: 3, items: '/files', limit: 1 },
  { title: 'a listing, visitor, as many settings elsewhere', user: 4, items: '/files' },
  { title: 'a tree of files, owner', tree: '/files' },
  { title: 'a tree of directories, owner', tree: '/directories' },
  { title: 'a tree of files, visitor, one setting below', user: 2, tree: '/files' },
  { title: 'a tree of files, visitor, all but one private', user: 3, tree: '/files' },
]

/** The processor time of this thread in milliseconds. Other work on the machine does not count. */
const processorMs = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6

/** The longest step of an operation whose children are read one by one, in milliseconds. */
const domainSteps = async ({ user, items, tree, limit, after }) => {
  let longest = 0
  let steps = 0
  let before = processorMs()
  const end = (began) => {
    steps += 1
    const took = performance.now() - began
    // Reading the processor time costs more than most steps, so it is read for long steps and for every thousandth.
    if (took <= longest && steps % 1000 !== 0) return
    const now = processorMs()
    longest = Math.max(longest, Math.min(took, now - before))
    before = now
  }
  const step = (work) => {
    const began = performance.now()
    const result = work()
    end(began)
    return result
  }
  /** Ports in memory never wait, so the time of a task is one step. */
  const task = async (ask) => {
    const began = performance.now()
    const result = await ask()
    end(began)
    return result
  }
  const path = items ?? tree
  const page = { limit: limit === undefined ? none : some(limit), after: after === undefined ? none : some(after) }
  const ask = step(() =>
    items === undefined
      ? user === undefined
        ? operations.storageTree({ token, path }, Tree.unbounded)
        : operations.userContentTree({ user: `${user}`, path }, Tree.unbounded)
      : user === undefined
        ? operations.storageDirItems({ token, path }, page)
        : operations.userContentDirItems({ user: `${user}`, path }, page),
  )
  const answer = await task(() => right(ask(ports)))
  const read = items === undefined ? (await task(() => right(answer.children))).children : answer.items
  const iterator = step(() => read[Symbol.iterator]())
  let seen = 0
  for (;;) {
    const { done, value } = step(() => iterator.next())
    if (done === true || seen === limit) return longest
    if (value !== undefined) seen += 1
    if (value?.type === 'dir') await task(value.children)
  }
}

const targetOf = ({ user, items, tree, limit, after }, round) => {
  const operation = items === undefined ? 'tree' : 'diritems'
  const service = user === undefined ? `storage/v1/${operation}/${token}` : `usercontent/v1/${operation}/id/${user}`
  // Each round asks for another page, which is in no cache yet.
  const page = [limit && `limit=${limit + round}`, after && `after=${encodeURIComponent(after)}`].filter(Boolean)
  return `/api/${service}${items ?? tree}?${page.join('&')}`
}

/** Runs in its own process, so that only ticks of the server are measured. */
const runServer = async () => {
  let longest = 0
  let before = processorMs()
  setInterval(() => {
    const now = processorMs()
    longest = Math.max(longest, now - before)
    before = now
  }, 1)
  const { port } = await serve(ports, (http) =>
    http.prependListener('request', ({ url }) => {
      if (url === '/held') busyFor(2 * boundMs)
    }),
  )
  process.on('message', (message) => {
    process.send({ milliseconds: longest })
    if (message === 'begin') longest = 0
  })
  process.once('disconnect', () => process.exit())
  process.send({ port })
}

const answerTo = (port, path) =>
  new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      let bytes = 0
      response.on('data', (chunk) => {
        bytes += chunk.length
      })
      response.once('end', () => resolve({ status: response.statusCode, bytes }))
      response.once('error', reject)
    }).once('error', reject)
  })

const runClient = async () => {
  const server = fork(fileURLToPath(import.meta.url), ['--serve', '--entries', counted])
  const reported = async (message) => {
    if (message !== undefined) server.send(message)
    const [answer] = await once(server, 'message')
    return answer
  }
  const { port } = await reported()
  const longestTick = async (path) => {
    // Lets the previous request end.
    await sleep(50)
    await reported('begin')
    const { status, bytes } = await answerTo(port, path)
    await sleep(20)
    if (path !== '/held' && status !== 200) throw new Error(`${path} is answered with ${status}`)
    return { milliseconds: (await reported('end')).milliseconds, bytes }
  }

  let failed = false
  for (const each of cases) {
    const steps = []
    const ticks = []
    let bytes = 0
    for (let round = 0; round < rounds; round++) {
      steps.push(await domainSteps(each))
      const answer = await longestTick(targetOf(each, round))
      ticks.push(answer.milliseconds)
      bytes = answer.bytes
    }
    const [step, tick] = [Math.min(...steps), Math.min(...ticks)]
    const isLong = step > boundMs || tick > boundMs
    failed ||= isLong
    const shown = [step, Math.max(...steps), tick, Math.max(...ticks)].map((ms) => ms.toFixed(1))
    console.log(
      `${each.title} (${(bytes / 1e6).toFixed(1)} MB): domain ${shown[0]} ms (at worst ${shown[1]}), server ${shown[2]} ms (at worst ${shown[3]})${isLong ? ' TOO LONG' : ''}`,
    )
  }
  const { milliseconds } = await longestTick('/held')
  const isSeen = milliseconds > boundMs
  console.log(`a planted step of ${2 * boundMs} ms: ${milliseconds.toFixed(1)} ms${isSeen ? '' : ' NOT SEEN'}`)
  server.disconnect()
  console.log(failed || !isSeen ? 'FAILED' : `no step of ${count} entries takes longer than ${boundMs} ms`)
  process.exitCode = failed || !isSeen ? 1 : 0
}

await (isServer ? runServer() : runClient())
