import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { workingDirectory } from '../src/Installation.js'

it('is where the process stands, or a problem that says what to do', () => {
  expect(workingDirectory(() => '/srv')).toEqual(E.right('/srv'))
  const gone = workingDirectory(() => {
    throw new Error('ENOENT: uv_cwd')
  })
  expect(gone).toEqual(E.left([expect.stringContaining('change to another one')]))
})
