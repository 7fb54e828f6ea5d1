import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { useAccounts } from '#api/account.tsx'

/**
 * A link of the API names its account: changes to it, and takes it out of the address. Returns `changing` until then, and
 * `unknown` for an account that the person is no member of.
 */
export function useLinkedAccount(): 'changing' | 'unknown' | null {
  const { account: linked, ...search } = useSearch({ from: '/app/billing' })
  const { accounts, current, switchTo } = useAccounts()
  const navigate = useNavigate()
  const isMember = accounts.some(({ id }) => id === linked)
  const follow = useEffectEvent((id: string) => {
    if (id !== current?.id) switchTo(id)
    void navigate({ to: '/billing', replace: true, search })
  })
  useEffect(() => {
    if (linked !== undefined && isMember) follow(linked)
  }, [linked, isMember])
  if (linked === undefined) return null
  return isMember ? 'changing' : 'unknown'
}
