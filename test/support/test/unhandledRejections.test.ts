import { describe, expect, it } from 'vitest'
import { unhandledRejections } from '../src/unhandledRejections.js'

describe('unhandledRejections', () => {
  it('reports a rejection that no one handled, and none that was handled', async () => {
    const seen = await unhandledRejections(async () => {
      void Promise.reject(new Error('lost'))
      await Promise.reject(new Error('caught')).catch(() => undefined)
    })
    expect(seen).toEqual([new Error('lost')])
  })

  it('puts back who listened before', async () => {
    const before = process.listeners('unhandledRejection')
    await expect(unhandledRejections(() => Promise.reject(new Error('run')))).rejects.toThrow('run')
    expect(process.listeners('unhandledRejection')).toEqual(before)
  })
})
