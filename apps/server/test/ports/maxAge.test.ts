import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, StoragePath, type Visibility } from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Ports, shareStorage } from '../../src/ports.js'
import { servedApps } from '../servedApps.js'

describe('answers of a storage that may be older', () => {
  const served = servedApps()

  const serve = async (ms: number) => {
    const memory: Ports = memoryPorts(worldWith([dir('a', file('f'))]))
    const asked: Array<string> = []
    const broken = { is: false }
    const set = { root: 'public' as Visibility.Visibility }
    const storage: Pick<Ports, 'nodeAt' | 'list'> = {
      nodeAt: (area, path) => {
        asked.push(`nodeAt ${path}`)
        return memory.nodeAt(area, path)
      },
      list: (area, path) => {
        asked.push(`list ${path}`)
        return broken.is ? async () => E.left(Failure.external(new Error('broken'))) : memory.list(area, path)
      },
    }
    const settingsOf: Ports['settingsOf'] = () => async () => E.right(new Map([[StoragePath.root, set.root]]))
    const shared = shareStorage(storage, { ms, bytes: 1_000_000 })
    const { port } = await served({ ...memory, settingsOf, ...shared }, { cacheBytes: 0 })
    const ask = async (lookup: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/usercontent/v1/${lookup}`)
      return { status: answer.status, age: answer.headers.get('Age'), text: await answer.text() }
    }
    return { ask, asked, broken, set }
  }

  it('are given again without a question, and say how old they are', async () => {
    const { ask, asked } = await serve(60_000)
    const first = await ask('tree/id/1')
    expect(first).toMatchObject({ status: 200, age: '0' })
    const questions = [...asked]
    await sleep(1_100)
    expect(await ask('tree/id/1')).toEqual({ ...first, age: '1' })
    expect(asked).toEqual(questions)
  })

  it('are asked for again when they are too old', async () => {
    const { ask, asked } = await serve(200)
    await ask('diritems/id/1')
    await sleep(300)
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: '0' })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('have no Age, and are asked for each time, where none may be older', async () => {
    const { ask, asked } = await serve(0)
    for (let i = 0; i < 2; i += 1) expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: null })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are never failures: what failed is asked for again', async () => {
    const { ask, broken } = await serve(60_000)
    broken.is = true
    expect(await ask('diritems/id/1')).toMatchObject({ status: 502, age: null })
    broken.is = false
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: '0' })
  })

  it('obey a setting that was changed in the meantime', async () => {
    const { ask, set } = await serve(60_000)
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200 })
    set.root = 'private'
    expect(await ask('diritems/id/1')).toMatchObject({ status: 403, age: null })
  })
})
