// Requests per second of Canopy and of a bare Koa that sends the same bytes.
import { startCanopy } from '../canopy.mjs'
import { checkConditional, checkListing, checkSame, checkTree, tagOf } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { get } from '../http.mjs'
import { count } from '../numbers.mjs'
import { nodesIn } from '../plant.mjs'
import { progress, withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startBareKoa } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'
import { listingSizes, treeOf } from '../world.mjs'

/**
 * A target says what it is called, its path, how it is checked at either server, with which headers and by how many
 * connections it is asked, and what the ratio must be. All have the same status.
 */
const againstKoa = (targetsIn, status) => async (context) => {
  const { world, directory, load, options } = context
  const known = await world()
  const targets = targetsIn(known)
  return withServers([() => startCanopy(known.data)], async ([ours]) => {
    const paths = targets.map(({ path }) => path)
    const answers = await writeAnswers(directory, ours.port, paths, status)
    return withServers([() => startBareKoa(answers)], async ([bareKoa]) => {
      const rows = []
      for (const { what, path, check, headersOf, connections, conditional, atLeast } of targets) {
        progress(what)
        const bytes = await checkSame(ours.port, path, bareKoa.port, status)
        const headers = await headersOf?.(ours.port, path)
        const subjects = []
        for (const { port } of [ours, bareKoa]) {
          await check?.(port, path, headers)
          subjects.push({ port, path, headers, connections, bytesAtLeast: conditional ? 0 : bytes })
        }
        const [own, theirs] = await rounds(options.rounds, subjects, (subject) =>
          load({ ...subject, seconds: options.seconds, isRefused: status >= 400 }),
        )
        const reference = { name: bareKoa.name, values: theirs }
        rows.push(compared({ what, unit: '/s', ours: own, reference, target: atLeast && { atLeast } }))
      }
      return rows
    })
  })
}

const ofKoa = (name, title, targetsIn, status = 200) => ({ name, title, run: againstKoa(targetsIn, status) })

export const few = ofKoa('few', 'Few connections', ({ listing }) =>
  [10, 1_000].flatMap((size) =>
    [1, 4].map((connections) => ({
      what: `${count(size)} entries, ${connections} connection${connections === 1 ? '' : 's'}`,
      path: listing(size),
      connections,
      atLeast: connections === 1 ? 0.8 : undefined,
    })),
  ),
)

export const conditional = ofKoa('conditional', 'Conditional requests', ({ listing }) =>
  listingSizes.map((size) => ({
    what: `304 for ${count(size)} entries`,
    path: listing(size),
    headersOf: async (port, path) => ({ 'If-None-Match': await tagOf(port, path) }),
    check: (port, path, headers) => checkConditional(port, path, headers['If-None-Match']),
    conditional: true,
    atLeast: 1.1,
  })),
)

const listed = 1_000
const nodes = nodesIn(treeOf.breadths, treeOf.files)

export const others = ofKoa('others', 'The other operations', ({ ownListing, tree, peek }) => [
  {
    what: 'listing of 1,000 entries by token',
    path: ownListing(listed),
    check: (port, path) => checkListing(port, path, listed),
    atLeast: 1,
  },
  { what: 'tree of 1,000 nodes', path: tree, check: (port, path) => checkTree(port, path, nodes), atLeast: 0.9 },
  { what: 'trigger peek', path: peek, atLeast: 0.6 },
])

export const missing = ofKoa(
  'missing',
  'What is not there',
  ({ listing }) => [
    {
      what: 'in a directory that is cached',
      path: `${listing(1_000)}/missing`,
      check: (port) => get(port, listing(1_000)),
      atLeast: 0.4,
    },
    { what: 'in a directory that is not cached', path: `${listing(100)}/missing` },
  ],
  404,
)
