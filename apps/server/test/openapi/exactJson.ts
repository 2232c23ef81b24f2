import { parse } from 'lossless-json'

const exactNumber = (digits: string): number | bigint => {
  const read = Number(digits)
  return Number.isSafeInteger(read) || !/^-?[0-9]+$/.test(digits) ? read : BigInt(digits)
}

/** JSON as `JSON.parse` reads it, but for integers that a number would round: those are bigints. */
export const exactJson = (text: string): unknown => parse(text, undefined, exactNumber)
