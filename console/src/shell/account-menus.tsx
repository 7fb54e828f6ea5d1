import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, CircleUserRound, LogOut } from 'lucide-react'
import { useAccounts } from '#api/account.tsx'
import { useSession } from '#api/session.ts'
import { chooseTheme, type ThemeChoice, useThemeChoice } from '#lib/theme.ts'
import { Button, IconButton } from '#ui/actions/button.tsx'
import { Menu, MenuItem, MenuSection, MenuSeparator } from '#ui/actions/menu.tsx'
import { useSignOut } from './session-end.ts'

export const themes: { id: ThemeChoice; label: string }[] = [
  { id: 'system', label: 'As the system' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
]

export function AccountMenu() {
  const { person } = useSession()
  const theme = useThemeChoice()
  const signOut = useSignOut()
  return (
    <Menu
      label="Account menu"
      placement="bottom end"
      trigger={<IconButton label="Account menu" icon={<CircleUserRound aria-hidden />} />}
    >
      <MenuSection title={person.email}>
        <MenuItem href="/account/profile">Profile</MenuItem>
        <MenuItem href="/account/sessions">Sessions and passkeys</MenuItem>
      </MenuSection>
      <MenuSeparator />
      <MenuSection
        title="Theme"
        selection={{
          mode: 'single',
          selected: [theme],
          onChange: ([id]) => chooseTheme((id ?? 'system') as ThemeChoice),
        }}
      >
        {themes.map(({ id, label }) => (
          <MenuItem key={id} id={id}>
            {label}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden />} onAction={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  )
}

/** The account that this tab works for; a choice where there are several. */
export function AccountSwitcher() {
  const { accounts, current } = useAccounts()
  const switchAccount = useSwitchAccount()
  if (!current) return null
  if (accounts.length === 1) return <span className="min-w-0 truncate px-2 font-medium">{current.name}</span>
  const trigger = (
    <Button variant="quiet" aria-label={`Account ${current.name}`} className="min-w-0 shrink">
      <span className="max-w-40 truncate sm:max-w-72">{current.name}</span>
      <ChevronsUpDown aria-hidden className="text-muted" />
    </Button>
  )
  return (
    <Menu trigger={trigger} label="Accounts">
      <MenuSection
        title="Accounts"
        selection={{ mode: 'single', selected: [current.id], onChange: ([id]) => id && switchAccount(id) }}
      >
        {accounts.map(({ id, name }) => (
          <MenuItem key={id} id={id}>
            {name}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}

/** Stays on the page, without its filters and place in a list: they belong to the account before. */
export function useSwitchAccount(): (id: string) => void {
  const { switchTo } = useAccounts()
  const navigate = useNavigate()
  return (id) => {
    void navigate({ to: '.', search: {} as never })
    switchTo(id)
  }
}
