import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FoldingStorage, findFuse, startFoldingStorage } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

const fuse = findFuse()
if (E.isLeft(fuse)) console.warn(`Storage that folds names is not tested over HTTP. ${fuse.left}`)

const spellings = ['secret', 'SECRET', 'Secret.', 'Secret%20', 'SECRE~1']

describe.runIf(E.isRight(fuse))('an area where the file system ignores case, Unicode form and dots at the end', () => {
  let storage: FoldingStorage
  let token = ''
  const over = serverOver(async (data) => {
    storage = await startFoldingStorage(['/area', '/area/Secret', '/area/exact/folding'])
    for (const directory of ['Secret', 'exact', 'exact/Secret', 'exact/folding', 'exact/folding/Secret'])
      mkdirSync(join(storage.source, 'area', directory), { recursive: true })
    for (const directory of ['Secret', 'exact/Secret', 'exact/folding/Secret', 'exact'])
      writeFileSync(join(storage.source, 'area', directory, 'plan.txt'), 'plan')
    await canopy(data, 'account', 'create', '--id', '7', '--verified', '--area', join(storage.mounted, 'area'))
    token = (await canopy(data, 'token', 'issue', '7')).token
    await canopy(data, 'visibility', 'set', '7', '/', 'public')
    for (const path of ['/Secret', '/exact/Secret', '/exact/folding/Secret', '/exact/plan.txt'])
      await canopy(data, 'visibility', 'set', '7', path, 'private')
  })
  afterAll(() => storage.stop())

  const statuses = (path: string): Promise<ReadonlyArray<number>> =>
    Promise.all(
      [
        'usercontent/v1/tree/id/7',
        'usercontent/v1/diritems/id/7',
        `storage/v1/tree/${token}`,
        `storage/v1/diritems/${token}`,
      ].map(
        async (operation) =>
          (await request(over.server.port, { method: 'GET', target: `/api/${operation}${path}` })).status,
      ),
    )

  it('is answered by the names that its directories list', async () => {
    expect(await statuses('/exact')).toEqual([200, 200, 200, 200])
    for (const path of ['/Secret', '/exact/Secret', '/exact/folding/Secret'])
      expect([path, await statuses(path)]).toEqual([path, [403, 403, 200, 200]])
    expect(await statuses('/Secret/plan.txt')).toEqual([403, 403, 200, 409])
  })

  it('answers `file not found` to visitors and owners who spell a private name in another way', async () => {
    for (const spelling of spellings)
      for (const above of ['', '/exact/folding', '/exact'])
        for (const path of [`${above}/${spelling}`, `${above}/${spelling}/plan.txt`, `${above}/${spelling}/plan.txt/x`])
          expect([path, await statuses(path)]).toEqual([path, [404, 404, 404, 404]])
    expect(await statuses('/EXACT/Secret/plan.txt')).toEqual([404, 404, 404, 404])
  })
})
