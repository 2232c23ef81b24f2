import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { askedOnceFor } from '../../src/ports/askedOnceFor.js'

const world = () => {
  const state = { works: true, asked: 0 }
  const ask = async (): Promise<E.Either<string, number>> => {
    state.asked += 1
    return state.works ? E.right(state.asked) : E.left('down')
  }
  return { state, ask, once: askedOnceFor<string, number>() }
}

describe('what is asked for once', () => {
  it('is the same for the same value, also for those who come meanwhile', async () => {
    const { ask, once } = world()
    const value = {}
    expect(await Promise.all([once(value, ask)(), once(value, ask)()])).toEqual([E.right(1), E.right(1)])
    expect(await once(value, ask)()).toEqual(E.right(1))
  })

  it('is asked for anew for another value, however equal', async () => {
    const { ask, once } = world()
    expect([await once([], ask)(), await once([], ask)()]).toEqual([E.right(1), E.right(2)])
  })

  it('is asked for again after a failure', async () => {
    const { state, ask, once } = world()
    const value = {}
    state.works = false
    expect(await once(value, ask)()).toEqual(E.left('down'))
    state.works = true
    expect(await once(value, ask)()).toEqual(E.right(2))
  })
})
