import { type Answer, nothing } from './Answer.js'
import { allow } from './refusalAnswer.js'

/** What OPTIONS answers on the five operations, a browser's preflight included. */
export const optionsAnswer: Answer = {
  status: 204,
  headers: {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  },
  body: nothing,
}
