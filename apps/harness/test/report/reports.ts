import type { Report } from '../../src/Command.js'

const nasty = 'a <b> & "c" \'d\' # e \\ f\ng\u001b[31m ]]> \u202e \ud800 \ufffe é'

/** Everything that a format could stumble over. */
export const nastyReport: Report = {
  title: `title ${nasty}`,
  notes: [`note ${nasty}`],
  results: [
    { suite: 'one', name: 'passes', outcome: { is: 'passed' } },
    {
      suite: 'one',
      name: `fails ${nasty}`,
      outcome: {
        is: 'failed',
        problems: [{ what: 'status', expected: '200', got: '404' }, { what: `sentence ${nasty}` }],
        again: `curl ${nasty}`,
      },
    },
    { suite: `two ${nasty}`, name: 'waits', outcome: { is: 'not run', why: `why ${nasty}` } },
  ],
}

export const goodReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(0, 1) }

export const idleReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(2) }
