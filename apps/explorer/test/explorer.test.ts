import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { docs } from './docs.js'
import { errors } from './errors.js'
import { habits } from './habits.js'
import { listings } from './listings.js'
import { open, opened, patienceMs, tested } from './opened.js'
import { outline } from './outline.js'
import { quality } from './quality.js'
import { sizes } from './sizes.js'
import { waysIn } from './waysIn.js'
import { why } from './why.js'

// One browser and one data directory for all of it: they take longer than the tests.
describe.each(tested.browsers)('the explorer in %s', { timeout: 2 * patienceMs }, () => {
  beforeAll(open, 2 * patienceMs)
  afterEach(() => opened.closeTabs?.())
  afterAll(() => opened.close?.())
  describe('ways in', waysIn)
  describe('a listing', listings)
  describe('habits', habits)
  describe('the outline', outline)
  describe('why', why)
  describe('where the bytes are', sizes)
  describe('the API for people', docs)
  describe('errors and bounds', errors)
  describe('quality', quality)
})
