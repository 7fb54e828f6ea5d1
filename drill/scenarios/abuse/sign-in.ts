import { mapConcurrently } from '@storedex/testkit'
import { Counts } from '../../../server/test/promises/clients/support/counts.ts'
import { Browser, makePerson } from '../../client/browser.ts'
import { describeLatencies, summarizeLatencies } from '../../client/counts.ts'
import { labelOf } from '../../client/http-connection.ts'
import type { Installation } from '../../installation/installation.ts'
import type { Drill } from '../../scenario.ts'

const hogConnections = 60
const others = 10
const guesses = 10
/** Addresses of networks of their own. */
const addressOf = (person: number) => `198.51.${person}.7`
const hogAddress = '203.0.113.5'
const strangerAddress = '192.0.2.66'

export async function abuseSignIn(drill: Drill, installation: Installation): Promise<void> {
  const emails = Array.from({ length: others }, (_, index) => `person-${index}@drill.example`)
  const known = await mapConcurrently(
    emails,
    (email) => makePerson(installation, email, { address: addressOf(emails.indexOf(email)) }),
    2,
  )
  const hog = await makePerson(installation, 'hog@drill.example', { address: hogAddress })
  drill.cleanup.add(() => {
    for (const browser of [...known, hog]) browser.close()
  })
  await signInBesideHog(drill, installation, emails, hog)
  await signInBesideGuesses(drill, installation, emails[0]!, known[0]!)
}

/** One person changes the own password again and again while others sign in, in browsers that nobody knows. */
async function signInBesideHog(
  drill: Drill,
  { service }: Installation,
  emails: readonly string[],
  hog: Browser,
): Promise<void> {
  const stopping = new AbortController()
  const hogAnswers = new Counts()
  const hogs = Array.from({ length: hogConnections }, async (_, index) => {
    const browser = hog.fork(service.origin)
    for (let turn = 0; !stopping.signal.aborted; turn++)
      hogAnswers.add(
        labelOf(await browser.request('POST', '/profile/password', { password: `nine calm rivers ${index}.${turn}` })),
      )
    browser.close()
  })
  const answers = new Counts()
  const durationsMs: number[] = []
  await Promise.all(
    emails.map(async (email, index) => {
      const browser = new Browser(service.origin, { address: addressOf(100 + index) })
      const answer = await browser.signIn(email)
      answers.add(labelOf(answer))
      durationsMs.push(answer.ms)
      browser.close()
    }),
  )
  stopping.abort()
  await Promise.all(hogs)
  const promise = `beside one person who changes passwords over ${hogConnections} connections, all of ${emails.length} others sign in`
  drill.check(promise, answers.besides('200') === 0, String(answers))
  drill.figure('sign-ins beside them', describeLatencies(summarizeLatencies(durationsMs)))
  drill.figure('answers to the changes of passwords', String(hogAnswers))
}

/** A stranger guesses wrong until refused; the owner goes on. */
async function signInBesideGuesses(
  drill: Drill,
  { service }: Installation,
  email: string,
  owner: Browser,
): Promise<void> {
  const stranger = new Browser(service.origin, { address: strangerAddress })
  const guessed = new Counts()
  for (let guess = 0; guess <= guesses; guess++) guessed.add(labelOf(await stranger.signIn(email, `wrong ${guess}`)))
  stranger.close()
  drill.check(`of ${guesses + 1} wrong guesses the last is refused unjudged`, guessed.of('429') > 0, String(guessed))
  const confirmed = await owner.confirm()
  drill.check('the owner confirms who they are meanwhile', confirmed.status === 200, labelOf(confirmed))
  const signedIn = await owner.signIn(email)
  drill.check('the owner signs in, in a browser that is known', signedIn.status === 200, labelOf(signedIn))
}
