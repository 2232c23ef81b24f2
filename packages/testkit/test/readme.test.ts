import { expect, it } from 'vitest'
import { wrongAnswers } from './readme.js'

it('the example of the README finds no wrong answer', async () => {
  expect(await wrongAnswers()).toEqual([])
})
