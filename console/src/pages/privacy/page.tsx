import { useEffect, useState } from 'react'
import { AskPage } from './ask-page.tsx'
import { HeldPage } from './held-page.tsx'

/**
 * For anybody, without signing in: what is held about an email address. The token of the mailed link is in the fragment,
 * which no server, log or referrer gets to see; it is taken out of the address at once. The mailed link opens it again.
 */
export default function PrivacyPage() {
  const [token, setToken] = useState(readToken)
  useEffect(() => {
    const read = () => setToken(readToken())
    // A link of a second mail, opened in the same tab.
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])
  useEffect(() => {
    if (window.location.hash) window.history.replaceState(window.history.state, '', '/privacy')
  })
  return (
    <main className="mx-auto max-w-2xl px-4 py-8 sm:py-[8vh]">
      <p className="mb-6 font-semibold text-lg">Storedex</p>
      {token === '' ? <AskPage /> : <HeldPage key={token} token={token} onAskAgain={() => setToken('')} />}
    </main>
  )
}

function readToken(): string {
  return window.location.hash.slice(1)
}
