import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { request } from '@canopy/testkit'
import { isInteger, parse } from 'lossless-json'
import { beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

/** A large folder that this repository did not make: the machine's own documentation, or else what comes with Node. */
const folder =
  ['/usr/share/doc', '/usr/share/man', join(dirname(process.execPath), '../lib')].find((candidate) => {
    try {
      return readdirSync(candidate).length > 10
    } catch {
      return false
    }
  }) ?? dirname(process.execPath)

/** A file or a directory: its path below the folder, its kind, size and time, in digits. */
type Found = readonly [path: string, kind: string, size: string, modified: string]

/** As find knows them; sizes of directories as Canopy gives them. */
const findAll = async (): Promise<ReadonlyArray<Found>> => {
  const { stdout } = await promisify(execFile)(
    'find',
    [folder, '-mindepth', '1', '(', '-type', 'f', '-o', '-type', 'd', ')', '-printf', '%P\\0%y\\0%s\\0%T@\\0'],
    { maxBuffer: 1 << 28 },
  )
  const fields = stdout.split('\0')
  return Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [path = '', kind = '', size = '', modified = ''] = fields.slice(index * 4, index * 4 + 4)
    return [path, kind, kind === 'd' ? '0' : size, modified.replace(/\..*/, '')] as const
  }).sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

interface Item {
  readonly name: string
  readonly is_file: boolean
  readonly size: bigint
  readonly last_modified: bigint
}

interface Node {
  readonly type: 'file' | 'dir'
  readonly name: string
  readonly size?: bigint
  readonly last_modified?: bigint
  readonly content?: ReadonlyArray<Node>
}

const exact = (text: string): string | bigint => (isInteger(text) ? BigInt(text) : text)

const flatten = ({ content = [] }: Node, path = ''): ReadonlyArray<readonly [string, Node]> =>
  content.flatMap((child) => [[path + child.name, child] as const, ...flatten(child, `${path}${child.name}/`)])

describe(`a large folder that this repository did not make (${folder})`, () => {
  let token = ''
  let found: ReadonlyArray<Found> = []
  const over = serverOver(async (data) => {
    await canopy(data, 'account', 'create', '--id', '1', '--verified', '--area', folder)
    token = (await canopy(data, 'token', 'issue', '1')).token
  })
  beforeAll(async () => {
    found = await findAll()
  })

  const get = async <A>(operation: string, path: string): Promise<A> => {
    const target = `/api/storage/v1/${operation}/${token}/${path.split('/').map(encodeURIComponent).join('/')}`
    const { complete, body } = await request(over.server.port, { method: 'GET', target })
    expect(complete).toBe(true)
    return (parse(body.toString(), undefined, exact) as { readonly content: A }).content
  }

  it('has the tree that find prints: every name, kind, size and time', async () => {
    expect(found.length).toBeGreaterThan(100)
    const nodes = flatten(await get<Node>('tree', '')).map(([path, { type, size = 0n, last_modified }]) =>
      type === 'file' ? [path, 'f', `${size}`, `${last_modified}`] : [path, 'd'],
    )
    expect(new Set(nodes.map(String))).toEqual(
      new Set(found.map((each) => String(each[1] === 'd' ? each.slice(0, 2) : each))),
    )
  })

  it('has the listings that find prints, directories and times included, in byte order', async () => {
    const listings = new Map<string, Array<Found>>()
    for (const [path, ...rest] of found) {
      if (rest[0] === 'd') listings.set(path, [])
      const at = path.includes('/') ? dirname(path) : ''
      listings.set(at, [...(listings.get(at) ?? []), [path.slice(at === '' ? 0 : at.length + 1), ...rest]])
    }
    for (const [path, expected] of [...listings].slice(0, 200)) {
      const items = await get<ReadonlyArray<Item>>('diritems', path)
      const listed = items.map(({ name, is_file, size, last_modified }) => {
        return [name, is_file ? 'f' : 'd', `${size}`, `${last_modified}`]
      })
      expect([path, listed]).toEqual([path, expected])
    }
  })
})
