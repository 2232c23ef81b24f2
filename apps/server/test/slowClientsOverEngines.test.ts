import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { file, type ObjectStore, removeObject, runs, seedObjects, storesToTest, token } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { canopyWith } from './canopy.js'
import { postgresIsTested, postgresWithRoles } from './registries.js'
import { type Installed, runCommand, slowWorld, testSlowClients } from './slowClients.js'
import { dataOf, type Server, seedData, startServer } from './startServer.js'

const timeout = 600_000
const tries = runs(5, 20)
const served = { CANOPY_FAILED_LOOKUPS: '0' }

describe.runIf(postgresIsTested)('two servers over one PostgreSQL', { timeout }, () => {
  let postgres: Awaited<ReturnType<typeof postgresWithRoles>>
  let servers: ReadonlyArray<Server> = []
  const over = dataOf(async (data) => {
    postgres = await postgresWithRoles()
    await seedData(data, slowWorld, postgres.admin)
    const variables = { CANOPY_DATA: data, CANOPY_REGISTRY: postgres.server, ...served }
    servers = await Promise.all([startServer(variables), startServer(variables)])
  })
  afterAll(async () => {
    await Promise.all(servers.map(({ end }) => end()))
    await postgres.stop()
  })

  testSlowClients(tries, () => ({
    variables: { CANOPY_DATA: over.data, CANOPY_REGISTRY: postgres.admin },
    servers,
    addFile: (path) => writeFile(join(over.data, 'areas/1', path), ''),
  }))
})

const stores = storesToTest(process.env, 'What slow clients are shown')
describe.each(stores)('over $name', { timeout }, ({ start }) => {
  let bucket = ''
  let store: ObjectStore
  let server: Server
  let installed: Installed
  dataOf(async (data) => {
    store = await start()
    // The command runs in this process too.
    Object.assign(process.env, store.variables)
    bucket = await store.newBucket()
    for (const account of slowWorld.accounts) {
      await seedData(data, { ...slowWorld, accounts: [{ ...account, area: [] }] })
      await seedObjects(store, bucket, `base/${account.id}/`, account.area)
    }
    const storage = `s3://${bucket}/base?endpoint=${store.endpoint}&region=us-east-1&pathStyle=true`
    const variables = { CANOPY_DATA: data, CANOPY_STORAGE: storage, ...store.variables }
    server = await startServer({ ...variables, ...served })
    installed = {
      variables,
      servers: [server],
      addFile: async (path) => {
        const [, above = '', name = ''] = /^(.*\/)(.*)$/.exec(path) ?? []
        await seedObjects(store, bucket, `base/1/${above}`, [file(name)])
      },
    }
  })
  afterAll(async () => {
    await server.end()
    await store.stop()
  })

  testSlowClients(tries, () => installed)

  it('CANOPY_MAX_AGE_MS shows no name that was removed before its directory became public', async () => {
    const aged = await startServer({ ...installed.variables, ...served, CANOPY_MAX_AGE_MS: '600000' })
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const path = `secret${attempt}`
      for (const name of ['removed', 'kept']) await installed.addFile(`${path}/${name}`)
      await canopyWith(installed.variables, 'visibility', 'set', '1', `/${path}`, 'private')
      for (const operation of ['diritems', 'tree'])
        expect(String((await aged.get(`/api/storage/v1/${operation}/${token}/${path}`)).body)).toContain('"removed"')
      await removeObject(store, bucket, `base/1/${path}/removed`)
      await runCommand(installed, ['visibility', 'set', '1', `/${path}`, 'public'])
      for (const operation of ['diritems', 'tree']) {
        const text = String((await aged.get(`/api/usercontent/v1/${operation}/id/1/${path}`)).body)
        const shown = ['kept', 'removed'].filter((name) => text.includes(`"${name}"`))
        expect({ attempt, operation, shown }).toEqual({ attempt, operation, shown: ['kept'] })
      }
    }
    await aged.end()
  })
})
