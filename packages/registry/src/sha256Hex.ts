import { createHash } from 'node:crypto'

/** Of the text in UTF-8: 64 hexadecimal digits. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
