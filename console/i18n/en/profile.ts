// Texts of the profile page.

export const profile = {
  title: 'Profile',
  name: 'Name',
  username: 'Username',
  role: { admin: 'Administrator of this hub', user: 'User' },
  displayName: 'Display name',
  displayNameHint: 'The name others see. Your username does not change.',
  save: 'Save',
  saved: 'Name saved.',
  password: 'Password',
  oldPassword: 'Current password',
  newPassword: 'New password',
  change: 'Change password',
  changed: 'Password changed. You are signed out everywhere else.',
  incorrectPassword: 'The current password is incorrect.',
  appearance: 'Appearance',
  sessions: 'This device',
  sessionsText: 'Signing out applies to every tab that shares this sign-in.',
  otherSessions: 'View other sign-ins',
};
