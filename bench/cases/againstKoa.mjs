import { startCanopy } from '../canopy.mjs'
import { checkSame } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startBareKoa } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'

/**
 * Requests per second of Canopy and of a bare Koa that sends the same bytes. A target says what it is called, its path,
 * how it is checked at either server, with which headers and by how many connections it is asked, and what the ratio must be.
 * All have the same status.
 */
export const againstKoa = async ({ world, directory, load, options }, targetsIn, status = 200) => {
  const known = await world()
  const targets = targetsIn(known)
  return withServers([() => startCanopy(known.data)], async ([ours]) => {
    const answers = await writeAnswers(
      directory,
      ours.port,
      targets.map(({ path }) => path),
      status,
    )
    return withServers([() => startBareKoa(answers)], async ([bareKoa]) => {
      const rows = []
      for (const {
        what,
        path,
        check = () => undefined,
        headersOf = () => ({}),
        connections,
        conditional,
        atLeast,
      } of targets) {
        progress(what)
        const bytes = await checkSame(ours.port, path, bareKoa.port, status)
        const headers = await headersOf(ours.port, path)
        const subjects = []
        for (const { port } of [ours, bareKoa]) {
          await check(port, path, headers)
          subjects.push({ port, paths: [path], headers, connections, bytesAtLeast: conditional ? 0 : bytes })
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
