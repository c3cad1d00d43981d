// The signed-in person.

export const profile = {
  title: 'Profile',
  name: 'Name',
  username: 'Username',
  role: { admin: 'Administrator of this hub', user: 'User' },
  displayName: 'Display name',
  displayNameHint: 'How others see you. Your username stays as it is.',
  needName: 'Enter a name.',
  nameLong: 'Use at most 100 characters.',
  save: 'Save',
  saved: 'Name saved.',
  password: 'Password',
  oldPassword: 'Present password',
  newPassword: 'New password',
  change: 'Change the password',
  changed: 'Password changed. Your other sign-ins have ended.',
  wrong: 'This is not your present password.',
  look: 'Appearance',
  sessions: 'This device',
  sessionsText: 'Signing out ends the session in every tab of this browser that shares it.',
  elsewhere: 'See where else you are signed in',
};
