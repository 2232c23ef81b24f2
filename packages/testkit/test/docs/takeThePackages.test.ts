import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { shown } from './visitorsNames.js'

it('visitorsNames.ts lists what a visitor sees', async () => {
  expect(await shown()).toEqual([E.right(['sea & sky.jpg']), E.left(Failure.permissionDenied)])
})
