import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, StoragePath, U64, type UserId } from '@canopy/domain'
import type { RegistryReader } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AreaStore } from '../src/areas.js'
import { doctor } from '../src/doctor.js'
import { fileAreas } from '../src/fileAreas.js'
import { freshCanopy } from './canopyIn.js'
import { findings, withAccount } from './doctorIn.js'

describe('canopy doctor', () => {
  it('finds nothing where nothing needs attention, with exit code 0', async () => {
    const { area, run } = await withAccount()
    await mkdir(join(area, 'photos'))
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/photos', 'private')
    await run('token', 'issue', '1', '--expires', '30d')
    expect(await run('doctor')).toEqual({
      stdout: 'Nothing needs attention. Accounts looked at: 1; triggers: 0.\n',
      stderr: '',
      exit: 0,
    })
    expect(await run('doctor', '--json')).toEqual({ stdout: '[]\n', stderr: '', exit: 0 })
  })

  it('lists what it finds, with exit code 1', async () => {
    const { run } = await withAccount()
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/not there', 'hidden')
    const message = "set hidden, but no node exists there: make the node, or `canopy visibility remove 1 '/not there'`"
    expect(await run('doctor')).toEqual({
      stdout: `account 1 /not there: orphan setting: ${message}\n\nFindings: 1. Accounts looked at: 1; triggers: 0.\n`,
      stderr: '',
      exit: 1,
    })
    const asJson = await run('doctor', '--json')
    expect(asJson).toMatchObject({ stderr: '', exit: 1 })
    expect(JSON.parse(asJson.stdout)).toEqual([
      { kind: 'orphan setting', account: '1', path: '/not there', message, trigger: null, note: false },
    ])
  })

  it('makes no registry, and says what does', async () => {
    const { directory, json, run } = await freshCanopy()
    expect(await json('doctor')).toEqual({
      error: 'registry unavailable',
      message: expect.stringMatching(/^no registry at sqlite:.*\/registry.sqlite$/),
      suggestion: expect.stringMatching(/^`canopy account create` makes one; /),
    })
    expect(await run('doctor')).toMatchObject({ stdout: '', exit: 1 })
    expect(await readdir(directory)).toEqual([])
  })

  it('brings no registry of an older version up to date, and says what does', async () => {
    const canopy = await withAccount()
    canopy.byHand(`delete from canopy_migration where name like '0006%'`)
    const older = {
      error: 'registry unavailable',
      message: expect.stringMatching(/was made by an older Canopy$/),
      suggestion: expect.stringMatching(/^`canopy registry migrate`/),
    }
    expect(await canopy.json('doctor')).toEqual(older)
    expect(await canopy.json('doctor')).toEqual(older)
  })

  it('finds a registry that is damaged, where the server would answer 401 to a valid token', async () => {
    const canopy = await withAccount()
    await canopy.run('token', 'issue', '1')
    canopy.byHand(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, '("account")', '("scope")') where name = 'tokens_by_account'`)
    expect(await findings(canopy)).toMatchObject([
      {
        kind: 'damaged registry',
        account: null,
        path: null,
        trigger: null,
        message:
          'row 1 missing from index tokens_by_account: it may answer wrongly, so stop the server and restore the copy of your last backup',
        note: false,
      },
    ])
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(/^registry sqlite:\/.*\/registry\.sqlite: damaged registry: row 1 missing/),
      exit: 1,
    })
  })

  it('finds a storage that is not there, also where there is no account', async () => {
    const canopy = await freshCanopy()
    await canopy.run('trigger', 'create', '--type', 'copy')
    expect(await findings(canopy)).toMatchObject([{ kind: 'missing storage', account: null }])
  })

  it('finds a storage that is not there, also when every area lies elsewhere', async () => {
    const canopy = await freshCanopy()
    await canopy.run('account', 'create', '--area', join(canopy.directory, 'elsewhere'))
    expect(await findings(canopy)).toEqual([])
    await rm(join(canopy.directory, 'data/areas'), { recursive: true })
    expect(await findings(canopy)).toMatchObject([
      { kind: 'missing storage', account: null, path: null, trigger: null },
    ])
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(
        /^storage \/.*\/areas: missing storage: no server is ready without it: ENOENT.*mount its disk/,
      ),
      exit: 1,
    })
  })
})

/** A registry whose one account is deleted while it is looked at, and an area whose walk takes so long. */
const doctorOfGone = (ms: number, say: (line: string) => void, begun: () => void) => {
  const id = U64.clamp(1n) as UserId.UserId
  const location = Area.location('canopy-deleted-meanwhile')
  const gone = () => TE.left({ error: 'no such account', id } as const)
  const registry: RegistryReader = {
    accounts: {
      all: TE.right([{ id, name: O.none, verified: true, location, isMountPoint: false, areaMade: false }]),
      find: gone,
    },
    tokens: { of: gone },
    settings: { of: gone },
    triggers: { all: TE.right([]) },
    taken: () => TE.right({ accounts: new Set(), triggers: new Set() }),
    place: 'nowhere',
    damage: TE.right([]),
    close: T.of(undefined),
  }
  const root = E.getOrElseW((problem: string): never => expect.fail(problem))(
    StorageRoot.fromText('/')(`file:${tmpdir()}`),
  )
  const areas: AreaStore = {
    ...fileAreas(root),
    inspect: async function* () {
      begun()
      yield await new Promise<StoragePath.StoragePath>((resolve) => setTimeout(() => resolve(StoragePath.root), ms))
    },
  }
  // Nothing else is asked.
  const env = { registry, areas, data: '/nowhere', storage: fsStorage(root), now: U64.zero, node: '24.0.0', say }
  return doctor(env as unknown as Parameters<typeof doctor>[0])()
}

describe('an area whose walk takes long', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each([
    [60_000, [`still walking the area of account 1, ${tmpdir()}/canopy-deleted-meanwhile`]],
    [9_000, []],
  ])('is named once after 10 s; an account that is deleted meanwhile is no finding: %i ms', async (ms, lines) => {
    const said: Array<string> = []
    const say = (line: string) => said.push(line)
    const walks = { begun: (): void => undefined }
    const begins = new Promise<void>((resolve) => Object.assign(walks, { begun: resolve }))
    const answer = doctorOfGone(ms, say, () => walks.begun())
    await begins
    await vi.advanceTimersByTimeAsync(9_000)
    expect(said).toEqual([])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await answer).toEqual(
      E.right({ json: [], lines: ['Nothing needs attention. Accounts looked at: 1; triggers: 0.'], exit: 0 }),
    )
    expect([said, vi.getTimerCount()]).toEqual([lines, 0])
  })
})
