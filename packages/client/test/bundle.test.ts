import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundled } from './browser/bundled.js'

const largestBytes = 12 * 1024

describe('the client in a bundle for browsers', () => {
  it('takes at most 12 KB, minified and compressed, with all that it exports', async () => {
    const { code } = await bundled('../../src/index.ts')
    expect(code).toContain('diritems')
    const bytes = gzipSync(code).length
    console.log(`@canopy/client in a bundle: ${code.length} bytes minified, ${bytes} with gzip`)
    expect(bytes).toBeLessThanOrEqual(largestBytes)
  })

  it('is made of its own files alone, and needs nothing of Node', async () => {
    const { code, modules } = await bundled('../../src/index.ts')
    expect(modules.filter((file) => !file.includes('/packages/client/src/'))).toEqual([])
    expect(code).not.toMatch(/from\s*["']|\brequire\(["']|\bprocess\.|\bBuffer\./)
  })

  it('takes fp-ts along only for @canopy/client/fp-ts', async () => {
    const { modules } = await bundled('../../src/fp-ts.ts')
    expect(modules.filter((file) => /\/(?:domain|io-ts|lossless-json)\//.test(file))).toEqual([])
    expect(modules.some((file) => file.includes('/fp-ts/lib/'))).toBe(true)
  })
})
