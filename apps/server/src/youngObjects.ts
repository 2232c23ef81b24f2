import { setFlagsFromString } from 'node:v8'

/**
 * What a request needs is young, and forgotten by the collector's quick rounds. V8 guesses otherwise: where most objects of a
 * place in the code were alive in some rounds, as those of requests in flight always are, it makes all later ones old, and
 * each holds whatever it points to until a full collection: one every 0.35 s (decision 17).
 */
export const keepRequestsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')
