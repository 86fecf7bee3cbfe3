import jupyter from '@jupyter/eslint-plugin';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'lib',
      'build',
      'node_modules',
      'src/types.ts',
      'style',
      '**/*.mjs'
    ]
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    plugins: { jupyter },
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.test.json'] }
    },
    rules: {
      ...jupyter.configs.recommended.rules,
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/explicit-function-return-type': [
        'error',
        { allowExpressions: true }
      ],
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } }
      ],
      eqeqeq: 'error',
      curly: 'error',
      'max-lines': ['error', 400]
    }
  },
  { files: ['src/views/**'], rules: { 'max-lines': ['error', 300] } }
);
