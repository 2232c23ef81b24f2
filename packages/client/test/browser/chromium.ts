import { browsersToTest } from '@canopy/test-support'
import { type Browser, chromium } from 'playwright-core'

const tested = browsersToTest(process.env, 'The client')

export const browsers = tested.browsers

export const openBrowser = (): Promise<Browser> => chromium.launch(tested.chromium())
