import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../server/test/startServer.js'
import { freshDirectory, spawned } from './harnessIn.js'

describe('the whole way', () => {
  it('a seeded fixture, the built server over files and SQLite, and the verdict', async () => {
    const variables = { CANOPY_DATA: join(await freshDirectory(), 'data'), CANOPY_FAILED_LOOKUPS: '0' }
    expect((await spawned(['fixture'], variables)).exit).toBe(0)
    const server = await startServer(variables)
    onTestFinished(async () => {
      await server.end()
    })
    const { stdout, exit } = await spawned(['conformance', '--url', `http://localhost:${server.port}`, '--exact'])
    expect(stdout).toMatch(/\n\nPASSED: [0-9]+ passed, 2 not run\n$/)
    expect(exit).toBe(0)
  })
})
