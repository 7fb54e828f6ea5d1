import { createContext, type ReactNode, use, useState } from 'react'
import { type Role, type Session, type SessionAccount, useSession } from './session.ts'

const storageKey = 'account'

interface AccountChoice {
  accounts: SessionAccount[]
  current: SessionAccount | undefined
  switchTo: (id: string) => void
}

const AccountContext = createContext<AccountChoice | undefined>(undefined)

/** Each tab has its own account: kept in the tab's storage, the first of the session unless chosen. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const session = useSession()
  const [chosen, setChosen] = useState(readChoice)
  const accounts = accountsOf(session)
  const current = session.see_as
    ? accounts.find(({ id }) => id === session.see_as?.account.id)
    : (accounts.find(({ id }) => id === chosen) ?? accounts[0])
  const switchTo = (id: string) => {
    writeChoice(id)
    setChosen(id)
  }
  return <AccountContext value={{ accounts, current, switchTo }}>{children}</AccountContext>
}

/** All accounts of the person, and the change to another. `current` is undefined for an operator without accounts. */
export function useAccounts(): AccountChoice {
  const choice = use(AccountContext)
  if (!choice) throw new Error('useAccounts belongs on pages behind the sign-in.')
  return choice
}

export interface CurrentAccount {
  id: string
  name: string
  role: Role
  /** False: only billing, keys, members and what is revealed already. */
  access: boolean
  plan: SessionAccount['plan']
}

/** The account that this tab works for. The layout shows pages of an account only if there is one. */
export function useAccount(): CurrentAccount {
  const { current } = useAccounts()
  if (!current) throw new Error('This page needs an account.')
  const { id, name, role, plan, api_access: access } = current
  return { id, name, role, access, plan }
}

const ranks: Role[] = ['viewer', 'member', 'admin', 'owner']

/** True if the user may do in the current account what the role may. The server decides; this is for what to show. */
export function useIsAtLeast(role: Role): boolean {
  const { current } = useAccounts()
  return current !== undefined && ranks.indexOf(current.role) >= ranks.indexOf(role)
}

/** An operator who sees as an account need not be its member. */
function accountsOf({ accounts, see_as }: Session): SessionAccount[] {
  if (!see_as) return accounts
  const seen = accounts.find(({ id }) => id === see_as.account.id)
  const plan = seen?.plan ?? { slug: 'free' as const, name: '', status: '' }
  return [{ ...see_as.account, role: 'viewer', api_access: seen?.api_access ?? true, plan }]
}

function readChoice(): string | null {
  try {
    return sessionStorage.getItem(storageKey)
  } catch {
    return null
  }
}

function writeChoice(id: string): void {
  try {
    sessionStorage.setItem(storageKey, id)
  } catch {
    // Storage is switched off: the choice lasts until the page is reloaded.
  }
}
