import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { docs } from './docs.js'
import { errors } from './errors.js'
import { habits } from './habits.js'
import { listings } from './listings.js'
import { type Opened, open, patienceMs, tested } from './opened.js'
import { outline } from './outline.js'
import { quality } from './quality.js'
import { sizes } from './sizes.js'
import { waysIn } from './waysIn.js'
import { why } from './why.js'

// One browser and one data directory for all of it: they take longer than the tests.
describe.each(tested.browsers)('the explorer in %s', { timeout: 2 * patienceMs }, () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  }, 2 * patienceMs)
  afterEach(() => opened?.closeTabs())
  afterAll(() => opened?.close())
  const current = (): Opened => opened
  describe('ways in', () => {
    waysIn(current)
  })
  describe('a listing', () => {
    listings(current)
  })
  describe('habits', () => {
    habits(current)
  })
  describe('the outline', () => {
    outline(current)
  })
  describe('why', () => {
    why(current)
  })
  describe('where the bytes are', () => {
    sizes(current)
  })
  describe('the API for people', () => {
    docs(current)
  })
  describe('errors and bounds', () => {
    errors(current)
  })
  describe('quality', () => {
    quality(current)
  })
})
