import { CircleUserRound, LogOut } from 'lucide-react'
import { useSession } from '#api/session.ts'
import { chooseTheme, type ThemeChoice, useThemeChoice } from '#lib/theme.ts'
import { IconButton } from '#ui/actions/button.tsx'
import { Menu, MenuItem, MenuSection, MenuSeparator } from '#ui/actions/menu.tsx'
import { useSignOut } from './signing-out.ts'

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
