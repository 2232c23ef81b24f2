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

/** What is too long by itself is too long in each round; the machine holds up a round only now and then. */
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
/** What is set in the area of each user. */
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

/** Asked for by an owner, and by a visitor of each area. */
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

/** What this thread has run so far, in milliseconds: other work on the machine holds up a tick, and takes none of this. */
const processorMs = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6

/** The longest of the steps of a reader who reads one child after the other, in milliseconds. */
const domainSteps = async ({ user, items, tree, limit, after }) => {
  let longest = 0
  let steps = 0
  let before = processorMs()
  const end = (began) => {
    steps += 1
    const took = performance.now() - began
    // To ask costs more than most steps take: it is asked for long ones, and now and then.
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
  /** A task of ports in memory waits for nothing else, so that its time is its step. */
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

/** In a process of its own, so that only the server's own ticks are seen. */
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
    // Whatever is left of the request before it ends first.
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
