import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { canopyProcess } from '../../server/test/canopy.js'
import { startServer } from '../../server/test/startServer.js'
import { profiles } from '../src/conformance.js'
import { freshDirectory, spawned } from './harnessIn.js'

it('the built server with its explorer passes, over a seeded fixture and the demo beside it', async () => {
  const data = join(await freshDirectory(), 'data')
  const variables = { CANOPY_DATA: data, CANOPY_FAILED_LOOKUPS: '0', CANOPY_FILES: 'on' }
  expect((await spawned(['fixture'], variables)).exit).toBe(0)
  await canopyProcess(data, ['demo'])
  const server = await startServer(variables)
  onTestFinished(async () => {
    await server.end()
  })
  const url = `http://localhost:${server.port}`
  expect(await (await fetch(url)).text()).toContain('<script')
  const { stdout, exit } = await spawned(['conformance', url, '--exact', '--profile', ...profiles])
  expect(stdout).toMatch(/\n\nPASSED: [0-9]+ passed, 3 not run\n$/)
  expect(exit).toBe(0)
})
