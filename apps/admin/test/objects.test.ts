import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  clientOf,
  freePort,
  type ListingMode,
  type ObjectStore,
  startListingStore,
  storesToTest,
} from '@canopy/test-support'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { again, findings, freshCanopy } from './canopyIn.js'

const urlOf = (bucket: string, endpoint: string, prefix = '/base') =>
  `s3://${bucket}${prefix}?endpoint=${endpoint}&region=us-east-1&pathStyle=true`

const setCredentials = () =>
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'canopy:canopy', AWS_SECRET_ACCESS_KEY: 'secret' })

describe('a command over an object store that does not answer', () => {
  const unanswered = async () => {
    setCredentials()
    const files = await freshCanopy()
    await files.run('account', 'create')
    return again(files, { CANOPY_STORAGE: urlOf('bucket', `http://127.0.0.1:${await freePort()}`) })
  }

  it('reports the failure with a hint and creates no account', async () => {
    const { run, json } = await unanswered()
    const message =
      /^canopy: .*the store cannot be reached \(.*ECONNREFUSED.*\)\. Check "endpoint" in CANOPY_STORAGE.*\n$/
    expect(await run('account', 'create')).toMatchObject({ exit: 1, stderr: expect.stringMatching(message) })
    expect(await json('account', 'list')).toMatchObject([{ id: '1', area: 's3://bucket/base/1/' }])
  })

  it('fails a dry import of accounts, but not of other lines', async () => {
    const { directory, json } = await unanswered()
    const setting = { type: 'setting', account: '1', path: '/', visibility: 'public' }
    for (const [lines, answer] of [
      [[{ type: 'account', id: '7' }, setting], { message: expect.stringMatching(/^cannot read the storage: /) }],
      [[{ type: 'account', id: '7', area: '/srv' }], { message: expect.stringContaining('1: "/srv" is a directory') }],
      [[setting], { imported: false, settings: 1 }],
    ] as const) {
      await writeFile(join(directory, 'lines'), lines.map((line) => JSON.stringify(line)).join('\n'))
      expect(await json('import', 'lines', '--dry-run')).toMatchObject(answer)
    }
  })

  it('makes doctor report the storage and skip the areas', async () => {
    const message = expect.stringMatching(/^the server is not ready .*ECONNREFUSED.*"endpoint"/)
    const finding = { kind: 'missing storage', account: null, message }
    expect(await findings(await unanswered())).toEqual([expect.objectContaining(finding)])
  })

  it.each([
    ['/srv/photos', '"/srv/photos" is a directory, but the storage is an object store. Use a key prefix'],
    ['a//b', 'invalid key prefix "a//b". Use one with no empty, "." or ".." segments'],
    ['../b', 'such as b'],
    ['.', 'such as team/photos'],
    [`${'n'.repeat(256)}/a`, 'at most 255 bytes per segment'],
  ])('refuses the area %j with a hint and creates no account', async (area, words) => {
    const { run, json } = await unanswered()
    const stderr = expect.stringContaining(words)
    expect(await run('account', 'create', '--id', '7', '--area', area)).toMatchObject({ exit: 1, stderr })
    expect((await run('account', 'update', '1', '--area', area)).stderr).toMatch(/^canopy: nothing was changed: /)
    expect(await json('account', 'list')).toHaveLength(1)
  })
})

/** A store whose listings have faults, once the test sets its mode. */
const overStore = async (prefix = '/base', variables: Readonly<Record<string, string>> = {}) => {
  setCredentials()
  const store = await startListingStore()
  onTestFinished(store.stop)
  const CANOPY_STORAGE = urlOf('bucket', store.endpoint, prefix)
  return { store, canopy: await freshCanopy({ CANOPY_STORAGE, ...variables }) }
}

it.each([
  ['on', [{ kind: 'unreadable files', message: expect.stringContaining('Allow s3:GetObject') }]],
  ['off', []],
])('doctor over a store that only lists, with CANOPY_FILES=%s, finds %j', async (CANOPY_FILES, expected) => {
  const { canopy } = await overStore('/base', { CANOPY_FILES })
  expect(await canopy.run('account', 'create', '--id', '7')).toMatchObject({ exit: 0 })
  expect(await findings(canopy)).toMatchObject(expected)
})

describe('a command over a store whose listings have faults', () => {
  it.each<[ListingMode, prefix: string]>([
    ['ignores case', '/base'],
    ['ignores case', ''],
    ['ignores case of prefixes', '/base'],
  ])('account create refuses a store that "%s", below the prefix "%s", and keeps no account', async (mode, prefix) => {
    const { store, canopy } = await overStore(prefix)
    store.mode = mode
    const message = /^canopy: no account was created: .* the store treats keys as case-insensitive, .*another store/
    const stderr = expect.stringMatching(message)
    expect(await canopy.run('account', 'create', '--id', '7')).toMatchObject({ exit: 1, stderr })
    expect(await canopy.json('account', 'list')).toEqual([])
  })

  it('doctor reports the accounts in a store that ignores case', async () => {
    const { store, canopy } = await overStore('')
    for (const id of ['7', '8']) await canopy.run('account', 'create', '--id', id)
    store.keys.add('7/Photos/a.jpg')
    expect(await findings(canopy)).toEqual([])
    store.mode = 'ignores case'
    const message = (id: string) => `the store treats keys in s3://bucket/${id}/ as case-insensitive, `
    const finding = (account: string) => ({
      kind: 'case-insensitive names',
      account,
      note: false,
      message: expect.stringContaining(message(account)),
    })
    expect(await findings(canopy)).toMatchObject([finding('7'), finding('8')])
  })

  it('doctor reports a store that does not list keys in order as missing storage', async () => {
    const { store, canopy } = await overStore()
    await canopy.run('account', 'create', '--id', '7')
    store.keys.add('base/7/a').add('other')
    store.mode = 'pages out of order'
    const message = expect.stringMatching(
      '^the server is not ready .*the store does not list keys in order .*. Update the store',
    )
    expect(await findings(canopy)).toMatchObject([{ kind: 'missing storage', message }])
  })

  it('account create looks up the free id alone among very many names', async () => {
    const { store, canopy } = await overStore()
    for (let n = 0; n < 500; n += 1) store.keys.add(`base/${n}x/a`)
    expect(await canopy.run('account', 'create')).toMatchObject({ exit: 0, stderr: '' })
    // A page of this store has ten names.
    expect(store.asked.length).toBeLessThan(10)
  })
})

const stores = storesToTest(process.env, 'The command over an object store')

describe.each(stores)('the command over $name', ({ start }) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
  })
  afterAll(() => store.stop())

  const freshBucket = async () => urlOf(await store.newBucket(), store.endpoint)

  const put = async (bucket: string, ...keys: ReadonlyArray<string>): Promise<void> => {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    const client = await clientOf(store)
    for (const Key of keys)
      await client.send(new PutObjectCommand({ Bucket: bucket.replace('s3://', ''), Key, Body: '', ContentLength: 0 }))
    client.destroy()
  }

  it('creates an account with a marker, under the next id without keys', async () => {
    const url = await freshBucket()
    const bucket = url.slice(0, url.indexOf('/base'))
    const { json, run } = await freshCanopy({ CANOPY_STORAGE: url })
    await put(bucket, 'base/1/photo.jpg')
    expect(await json('account', 'create', '--verified')).toMatchObject({
      id: '2',
      area: `${bucket}/base/2/`,
      mountPoint: false,
      areaIsNew: true,
      overlaps: [],
    })
    const { stdout } = await run('account', 'create', '--id', '1', '--verified')
    expect(stdout).toBe(`Created account 1, verified.\nFiles: ${bucket}/base/1/\n`)
    expect((await run('account', 'create', '--verified')).stdout).toBe(
      `Created account 3, verified.\nFiles: ${bucket}/base/3/\nThe key prefix is new and empty.\n`,
    )
    expect((await run('doctor')).stdout).toBe('No findings. Checked 3 accounts and 0 triggers.\n')
  })

  it('never suggests removing objects, nor a directory after a return to files', async () => {
    const files = await freshCanopy()
    const objects = again(files, { CANOPY_STORAGE: await freshBucket() })
    await objects.run('account', 'create', '--id', '4')
    expect((await objects.run('account', 'delete', '4', '--dry-run')).stdout).not.toContain('rm -r')
    await mkdir(join(files.directory, 'data/areas/4'), { recursive: true })
    expect(await files.json('account', 'delete', '4', '--dry-run')).toMatchObject({ removable: false })
  })

  it('doctor finds directories, missing areas, invalid keys and exposed secrets', async () => {
    const files = await freshCanopy()
    await files.run('account', 'create', '--id', '1', '--area', `${files.directory}/elsewhere`)
    await files.run('account', 'create', '--id', '2')
    await files.run('account', 'create', '--id', '3', '--verified')
    const url = await freshBucket()
    const bucket = url.slice(0, url.indexOf('/base'))
    const canopy = again(files, { CANOPY_STORAGE: url })
    await put(bucket, 'base/3/a//x', 'base/3/a/../y', 'base/3/.git/HEAD', 'base/3/.git/config')
    await canopy.run('visibility', 'set', '3', '/', 'public')
    const movable =
      /elsewhere is a directory, but the storage is an object store.*`canopy account update 1 --area PREFIX`/
    expect(await findings(canopy)).toMatchObject([
      { kind: 'missing area', account: '1', message: expect.stringMatching(movable) },
      { kind: 'missing area', account: '2', message: expect.stringContaining(`no key begins with ${bucket}/base/2/`) },
      {
        kind: 'invalid keys',
        account: '3',
        message: expect.stringMatching(/^the area has 2 keys \(in \/a\) that are not valid paths, /),
      },
      { kind: 'exposed secret', account: '3', path: '/.git' },
    ])
    expect((await canopy.run('account', 'update', '1', '--area', 'one')).stdout).toContain('No files were moved')
    await canopy.run('account', 'update', '2', '--area', '2')
    expect((await findings(canopy)).map(({ kind }) => kind)).toEqual(['invalid keys', 'exposed secret'])
  })
})
