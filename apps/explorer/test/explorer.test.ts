import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { docs } from './docs.js'
import { errors } from './errors.js'
import { files } from './files.js'
import { fit } from './fit.js'
import { focus } from './focus.js'
import { keyboard } from './keyboard.js'
import { listings } from './listings.js'
import { looks } from './looks.js'
import { open, opened, patienceMs, tested } from './opened.js'
import { outline } from './outline.js'
import { quality } from './quality.js'
import { searches } from './searches.js'
import { sizes } from './sizes.js'
import { waysIn } from './waysIn.js'
import { why } from './why.js'

// All tests share a browser and a data directory, which take longer to start than the tests.
describe.each(tested.browsers)('the explorer in %s', { timeout: 2 * patienceMs }, () => {
  beforeAll(open, 2 * patienceMs)
  afterEach(() => opened.closeTabs?.())
  afterAll(() => opened.close?.())
  describe.each([
    ['ways in and links', waysIn],
    ['a listing', listings],
    ['fit', fit],
    ['focus and history', focus],
    ['the keyboard', keyboard],
    ['looks', looks],
    ['files', files],
    ['a search below', searches],
    ['the outline', outline],
    ['why', why],
    ['the map of sizes', sizes],
    ['the API for people', docs],
    ['errors and limits', errors],
    ['quality', quality],
  ])('%s', (_, tests) => {
    tests()
  })
})
