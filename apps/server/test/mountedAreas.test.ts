import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccessToken, StoragePath, UserId } from '@canopy/domain'
import { openRegistryWriter, RegistryUrl } from '@canopy/registry/admin'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const mount = (directory: string): void => void execFileSync('mount', ['-t', 'tmpfs', 'canopy-test', directory])
const unmount = (directory: string): void => void execFileSync('umount', [directory], { stdio: 'ignore' })

const must = <A>(result: E.Either<unknown, A>): A =>
  E.isRight(result) ? result.right : expect.fail(JSON.stringify(result.left))

/** Root in a container may not. */
const mayMount = ((): boolean => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-mount-'))
  try {
    mount(directory)
    unmount(directory)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
})()

describe.runIf(mayMount)('an area on a disk of its own, while the server runs', { timeout: 90_000 }, () => {
  let data = ''
  let server: Server | undefined

  /** The directory of each account: by its absolute path, by default, and below a mount point. */
  const areas = (): Readonly<Record<string, string>> => ({
    1: join(data, 'disk'),
    2: join(data, 'areas/2'),
    3: join(data, 'other/areas/photos'),
  })
  const disks = (): ReadonlyArray<string> => [join(data, 'disk'), join(data, 'areas/2'), join(data, 'other')]

  const tokenOf = (id: string) => must(AccessToken.codec.decode(`cnp_${'A'.repeat(41)}${id}A`))

  /** Sets the roots public and adds tokens, without a process for each. */
  const openAreas = async (): Promise<void> => {
    const url = must(RegistryUrl.fromString('/', `sqlite:${data}/registry.sqlite`))
    const { settings, tokens, close } = must(await openRegistryWriter(url)())
    for (const id of Object.keys(areas())) {
      const account = must(UserId.codec.decode(id))
      must(await settings.set(account, StoragePath.root, 'public')())
      const token = { token: tokenOf(id), account, scope: StoragePath.root, expires: O.none, label: O.none }
      must(await tokens.add(token)())
    }
    await close()
  }

  const answer = async (target: string): Promise<string> => {
    const { status, body } = await request(server?.port ?? 0, { method: 'GET', target })
    const { error, content } = JSON.parse(body.toString())
    const names = (Array.isArray(content) ? content : (content?.content ?? [])).map(
      ({ name }: { name: string }) => name,
    )
    return error === undefined ? `${status}: ${names.join(' ')}` : `${status}: ${error}`
  }

  /** What each operation shows of the root, to the owner and to a visitor; twice, the second time from the cache. */
  const answers = async (id: string): Promise<ReadonlyArray<string>> => {
    const all: Array<string> = []
    for (const lookup of ['tree', 'diritems', 'tree', 'diritems'])
      for (const who of [`storage/v1/${lookup}/${tokenOf(id)}`, `usercontent/v1/${lookup}/id/${id}`])
        all.push(await answer(`/api/${who}`))
    return [...new Set(all)]
  }

  beforeAll(async () => {
    data = await temporaryData()
    for (const disk of disks()) {
      await mkdir(disk, { recursive: true })
      mount(disk)
    }
    for (const [id, directory] of Object.entries(areas())) {
      const area = id === '2' ? [] : ['--area', directory]
      await canopy(data, 'account', 'create', '--id', id, '--verified', ...area)
      writeFileSync(join(directory, 'first'), '')
    }
    await openAreas()
    server = await startServer({ CANOPY_DATA: data })
  })

  afterAll(async () => {
    await server?.end()
    for (const disk of disks()) {
      try {
        unmount(disk)
      } catch {
        // It is not mounted.
      }
    }
    await rm(data, { recursive: true })
  })

  it.each([
    ['by its absolute path', '1'],
    ['by default', '2'],
  ])('is external while it is unmounted, and answers again, by whatever disk: %s', async (_, id) => {
    const directory = areas()[id] ?? ''
    expect(await answers(id)).toEqual(['200: first'])
    unmount(directory)
    expect(await answers(id)).toEqual(['502: external'])
    expect(await answer(`/api/storage/v1/diritems/${tokenOf(id)}/first`)).toBe('502: external')
    // Other areas answer, and the server stays ready.
    expect(await answers('3')).toEqual(['200: first'])
    expect((await request(server?.port ?? 0, { method: 'GET', target: '/readyz' })).status).toBe(200)
    mount(directory)
    expect(await answers(id)).toEqual(['200: '])
    writeFileSync(join(directory, 'second'), '')
    expect(await answers(id)).toEqual(['200: second'])
  })

  it('is named in the log', () => {
    const message = `${areas()['1']} was a mount point when it was given to the account, and nothing is mounted there now`
    expect(server?.lines).toContainEqual(
      expect.objectContaining({ status: 502, cause: { message: expect.stringContaining(message) } }),
    )
  })

  it('is external where it lies below the mount point: its directory is missing', async () => {
    expect(await answers('3')).toEqual(['200: first'])
    unmount(join(data, 'other'))
    expect(await answers('3')).toEqual(['502: external'])
  })

  it('is served as it is, without its disk, once that is said', async () => {
    const directory = areas()['1'] ?? ''
    unmount(directory)
    expect(await answers('1')).toEqual(['502: external'])
    expect(await canopy(data, 'account', 'update', '1', '--area', directory)).toMatchObject({ mountPoint: false })
    expect(await answers('1')).toEqual(['200: '])
    mount(directory)
    expect(await canopy(data, 'account', 'update', '1', '--area', directory)).toMatchObject({ mountPoint: true })
    unmount(directory)
    expect(await answers('1')).toEqual(['502: external'])
  })
})
