import {
  Keyboard,
  LogOut,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  SunMoon,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { useAccounts } from '#api/account.tsx'
import { useSession } from '#api/session.ts'
import { chooseTheme } from '#lib/theme.ts'
import { themes, useSwitchAccount } from '../account-menus.tsx'
import { docsLink, navigation, operatorNavigation } from '../navigation.ts'
import { useSignOut } from '../session-end.ts'
import { useKeyboard } from './keyboard-context.tsx'

interface PaletteAction {
  id: string
  label: string
  hint?: string
  icon?: LucideIcon
  /** A page of the console; otherwise `run`. */
  href?: string
  run?: () => void
}

export function usePaletteActions(): PaletteAction[] {
  const { person } = useSession()
  const { accounts, current } = useAccounts()
  const switchAccount = useSwitchAccount()
  const signOut = useSignOut()
  const { openHelp } = useKeyboard()
  const pages = [...navigation, ...(person.operator ? operatorNavigation : [])]
  const others = accounts.filter(({ id }) => id !== current?.id)
  return [
    ...pages.map(({ to, label, icon }) => ({ id: to, label, icon, href: to })),
    { id: 'docs', label: docsLink.label, icon: docsLink.icon, run: () => window.location.assign(docsLink.href) },
    { id: '/account/profile', label: 'Profile', hint: 'Account', icon: UserRound, href: '/account/profile' },
    {
      id: '/account/sessions',
      label: 'Sessions and passkeys',
      hint: 'Account',
      icon: MonitorSmartphone,
      href: '/account/sessions',
    },
    { id: '/account/audit', label: 'Audit log', hint: 'Account', icon: ScrollText, href: '/account/audit' },
    ...others.map(({ id, name }) => ({
      id,
      label: `Switch to ${name}`,
      icon: UsersRound,
      run: () => switchAccount(id),
    })),
    ...themes.map(({ id, label }) => ({ id, label: `Theme: ${label}`, icon: SunMoon, run: () => chooseTheme(id) })),
    { id: 'help', label: 'Keyboard', hint: '?', icon: Keyboard, run: openHelp },
    { id: 'sign-out', label: 'Sign out', icon: LogOut, run: signOut },
  ]
}
