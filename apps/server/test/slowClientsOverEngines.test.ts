import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BrokenStore,
  file,
  findPostgres,
  type ObjectStore,
  type Postgres,
  removeObject,
  runs,
  seedObjects,
  startBrokenStore,
  startPostgres,
  storesToTest,
  token,
} from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopyWith } from './canopy.js'
import { later } from './inProcess.js'
import { makeRoles, urlAs } from './lifecycle/postgresqlRoles.js'
import { seedData } from './seedData.js'
import {
  type Change,
  type Installed,
  revoked,
  runCommand,
  setting,
  slowWorld,
  testSlowClients,
  unverified,
} from './slowClients.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const timeout = 600_000
const tries = runs(5, 20)
const served = { CANOPY_METRICS_PORT: '0', CANOPY_FAILED_LOOKUPS: '0' }

const bodyOf = async ({ port }: Server, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: answer.status, text: await answer.text() }
}

// PostgreSQL may be missing on a developer's machine, but not in CI.
const hasPostgres = process.env['CI'] === 'true' || E.isRight(findPostgres(process.env))
describe.runIf(hasPostgres)('two servers over one PostgreSQL', { timeout }, () => {
  let data = ''
  let postgres: Postgres
  let installed: Installed
  beforeAll(async () => {
    data = await temporaryData()
    postgres = await startPostgres()
    const database = await postgres.newDatabase()
    await makeRoles(database)
    await seedData(data, slowWorld, urlAs('canopy_admin', database))
    const variables = { CANOPY_DATA: data, CANOPY_REGISTRY: urlAs('canopy_server', database), ...served }
    installed = {
      variables: { CANOPY_DATA: data, CANOPY_REGISTRY: urlAs('canopy_admin', database) },
      servers: await Promise.all([startServer(variables), startServer(variables)]),
      addFile: (path) => writeFile(join(data, 'areas/1', path), ''),
    }
  })
  afterAll(async () => {
    await Promise.all(installed.servers.map(({ end }) => end()))
    await postgres.stop()
    await rm(data, { recursive: true })
  })

  testSlowClients(tries, () => installed)
})

interface ListingChange extends Change {
  readonly status: number
}

/** Changes that forbid the new file `/pages/new`, and the status of the listing of `/pages`. */
const listingChanges: Readonly<Record<string, ListingChange>> = {
  'its name is private': { client: 'visitor', ...setting('/pages/new', 'private'), status: 200 },
  'its name is hidden': { client: 'visitor', ...setting('/pages/new', 'hidden'), status: 200 },
  'its directory is private': { client: 'visitor', ...setting('/pages', 'private'), status: 403 },
  'its account is unverified': { client: 'visitor', ...unverified, status: 403 },
  'the account of its owner is unverified': { client: 'owner', ...unverified, status: 403 },
  'the token of its owner is revoked': { client: 'owner', ...revoked, status: 401 },
}

const stores = storesToTest(process.env, 'What slow clients are shown')
describe.each(stores)('over $name', { timeout }, ({ start }) => {
  let data = ''
  let bucket = ''
  let store: ObjectStore
  let way: BrokenStore
  let server: Server
  let installed: Installed
  beforeAll(async () => {
    data = await temporaryData()
    store = await start()
    // The command runs in this process too.
    Object.assign(process.env, store.variables)
    way = await startBrokenStore(store)
    bucket = await store.newBucket()
    for (const account of slowWorld.accounts) {
      await seedData(data, { ...slowWorld, accounts: [{ ...account, area: [] }] })
      await seedObjects(store, bucket, `base/${account.id}/`, account.area)
    }
    const storageAt = (endpoint: string) => `s3://${bucket}/base?endpoint=${endpoint}&region=us-east-1&pathStyle=true`
    const variables = { CANOPY_DATA: data, CANOPY_STORAGE: storageAt(store.endpoint), ...store.variables }
    server = await startServer({ ...variables, ...served, CANOPY_STORAGE: storageAt(way.endpoint) })
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
    await way.stop()
    await store.stop()
    await rm(data, { recursive: true })
  })

  testSlowClients(tries, () => installed)

  const isSecondPage = ({ target }: { readonly target: string }): boolean => target.includes('continuation-token')

  /** The answer to a listing whose store holds back the second page until the change is made and a file added. */
  const listingAround = async ({ client, words, undo }: ListingChange) => {
    const { token: own } = await canopyWith(installed.variables, 'token', 'issue', '1')
    const hold = later()
    way.clear()
    await way.breakNow({ after: hold.value }, { only: isSecondPage })
    const route = client === 'owner' ? `storage/v1/diritems/${own}` : 'usercontent/v1/diritems/id/1'
    const answer = bodyOf(server, `/api/${route}/pages`)
    await expect.poll(() => way.asked.some(isSecondPage)).toBe(true)
    await runCommand(installed, words(own))
    await installed.addFile('pages/new')
    await way.repair()
    hold.give()
    const found = await answer
    await removeObject(store, bucket, 'base/1/pages/new')
    if (undo !== undefined) await canopyWith(installed.variables, ...undo)
    return found
  }

  it.each(Object.entries(listingChanges))(
    'a listing whose page is late does not show a file if %s',
    async (_, change) => {
      for (let attempt = 1; attempt <= tries; attempt += 1) {
        const { status, text } = await listingAround(change)
        const shown = { attempt, status, isShown: text.includes('"new"') }
        expect(shown).toEqual({ attempt, status: change.status, isShown: false })
      }
    },
  )

  it('CANOPY_MAX_AGE_MS shows no name that was removed before its directory became public', async () => {
    const aged = await startServer({ ...installed.variables, ...served, CANOPY_MAX_AGE_MS: '600000' })
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const path = `secret${attempt}`
      for (const name of ['removed', 'kept']) await installed.addFile(`${path}/${name}`)
      await canopyWith(installed.variables, 'visibility', 'set', '1', `/${path}`, 'private')
      for (const operation of ['diritems', 'tree'])
        expect((await bodyOf(aged, `/api/storage/v1/${operation}/${token}/${path}`)).text).toContain('"removed"')
      await removeObject(store, bucket, `base/1/${path}/removed`)
      await runCommand(installed, ['visibility', 'set', '1', `/${path}`, 'public'])
      for (const operation of ['diritems', 'tree']) {
        const { text } = await bodyOf(aged, `/api/usercontent/v1/${operation}/id/1/${path}`)
        const shown = ['kept', 'removed'].filter((name) => text.includes(`"${name}"`))
        expect({ attempt, operation, shown }).toEqual({ attempt, operation, shown: ['kept'] })
      }
    }
    await aged.end()
  })
})
