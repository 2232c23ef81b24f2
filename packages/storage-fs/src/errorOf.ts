import type { Trouble } from './readerMessages.js'

/** As it was thrown where the directory was read. */
export const errorOf = ({ code, message }: Trouble): Error => Object.assign(new Error(message), { code })
