package project

import (
	"slices"
	"strings"
)

// frameworks names the frameworks by the packages that bring them, for each ecosystem. A
// framework shapes the code that uses it; a library that code only calls is none.
var frameworks = map[string]map[string]string{
	"go": {
		"github.com/gin-gonic/gin": "Gin", "github.com/labstack/echo": "Echo", "github.com/gofiber/fiber": "Fiber", "github.com/go-chi/chi": "chi",
		"github.com/gorilla/mux": "Gorilla mux", "github.com/spf13/cobra": "Cobra", "github.com/urfave/cli": "urfave/cli", "github.com/alecthomas/kong": "Kong",
		"google.golang.org/grpc": "gRPC", "gorm.io/gorm": "GORM", "entgo.io/ent": "ent", "github.com/charmbracelet/bubbletea": "Bubble Tea",
		"k8s.io/client-go": "Kubernetes client", "sigs.k8s.io/controller-runtime": "controller-runtime", "github.com/hashicorp/terraform-plugin-framework": "Terraform plugin",
	},
	"npm": {
		"react": "React", "react-native": "React Native", "preact": "Preact", "vue": "Vue", "svelte": "Svelte", "@angular/core": "Angular", "solid-js": "Solid", "lit": "Lit",
		"next": "Next.js", "nuxt": "Nuxt", "@sveltejs/kit": "SvelteKit", "@remix-run/react": "Remix", "astro": "Astro", "gatsby": "Gatsby", "express": "Express", "fastify": "Fastify",
		"koa": "Koa", "hono": "Hono", "@nestjs/core": "NestJS", "@hapi/hapi": "hapi", "electron": "Electron", "typeorm": "TypeORM", "@prisma/client": "Prisma", "sequelize": "Sequelize",
		"mongoose": "Mongoose", "@trpc/server": "tRPC", "graphql": "GraphQL", "redux": "Redux", "rxjs": "RxJS", "vite": "Vite", "webpack": "webpack", "jest": "Jest", "vitest": "Vitest",
		"mocha": "Mocha", "ember-source": "Ember", "@hotwired/stimulus": "Stimulus", "@hotwired/turbo-rails": "Turbo", "vscode-languageclient": "VS Code language client",
	},
	"cargo": {
		"tokio": "Tokio", "axum": "axum", "actix-web": "Actix Web", "rocket": "Rocket", "warp": "warp", "hyper": "hyper", "tonic": "tonic", "clap": "clap", "bevy": "Bevy",
		"diesel": "Diesel", "sqlx": "SQLx", "sea-orm": "SeaORM", "tauri": "Tauri", "yew": "Yew", "leptos": "Leptos", "ratatui": "Ratatui",
	},
	"pypi": {
		"django": "Django", "djangorestframework": "Django REST framework", "flask": "Flask", "fastapi": "FastAPI", "starlette": "Starlette", "aiohttp": "aiohttp", "tornado": "Tornado",
		"sqlalchemy": "SQLAlchemy", "celery": "Celery", "pydantic": "Pydantic", "click": "Click", "typer": "Typer", "werkzeug": "Werkzeug", "jinja2": "Jinja", "torch": "PyTorch",
		"tensorflow": "TensorFlow", "scrapy": "Scrapy", "airflow": "Airflow", "apache-airflow": "Airflow", "pytest": "pytest", "streamlit": "Streamlit",
	},
	"gems": {
		"rails": "Ruby on Rails", "sinatra": "Sinatra", "hanami": "Hanami", "roda": "Roda", "grape": "Grape", "rack": "Rack", "sidekiq": "Sidekiq", "graphql": "GraphQL", "devise": "Devise",
		"turbo-rails": "Turbo", "stimulus-rails": "Stimulus", "rspec-rails": "RSpec", "rspec": "RSpec", "minitest": "Minitest", "jekyll": "Jekyll", "sequel": "Sequel", "view_component": "ViewComponent",
		"solid_queue": "Solid Queue", "good_job": "GoodJob", "puma": "Puma",
	},
	"composer": {
		"laravel/framework": "Laravel", "symfony/framework-bundle": "Symfony", "symfony/console": "Symfony Console", "slim/slim": "Slim", "doctrine/orm": "Doctrine", "phpunit/phpunit": "PHPUnit",
		"cakephp/cakephp": "CakePHP", "yiisoft/yii2": "Yii", "livewire/livewire": "Livewire",
	},
	"maven": {
		"org.springframework.boot": "Spring Boot", "org.springframework": "Spring", "io.quarkus": "Quarkus", "io.micronaut": "Micronaut", "io.ktor": "Ktor", "io.vertx": "Vert.x",
		"org.hibernate": "Hibernate", "org.hibernate.orm": "Hibernate", "jakarta.platform": "Jakarta EE", "io.netty": "Netty", "junit": "JUnit", "org.junit.jupiter": "JUnit", "androidx.core": "Android",
	},
	"nuget": {
		"Microsoft.NET.Sdk.Web": "ASP.NET Core", "Microsoft.EntityFrameworkCore": "Entity Framework Core", "xunit": "xUnit", "NUnit": "NUnit", "MediatR": "MediatR",
		"Microsoft.NET.Sdk.BlazorWebAssembly": "Blazor",
	},
	"hex":   {"phoenix": "Phoenix", "phoenix_live_view": "Phoenix LiveView", "ecto": "Ecto", "ecto_sql": "Ecto", "absinthe": "Absinthe", "oban": "Oban", "plug": "Plug"},
	"cmake": {"Qt5": "Qt", "Qt6": "Qt", "GTest": "GoogleTest", "Boost": "Boost"},
}

// Frameworks returns the frameworks among the dependencies and tools of a manifest, each
// once, those of the code first.
func (m *Manifest) Frameworks() []string {
	var out []string
	known := frameworks[m.ecosystem]
	for _, d := range append(slices.Clip(m.Dependencies), m.Tools...) {
		name := known[d]
		switch m.ecosystem {
		case "go": // a path may end in a version
			if at := strings.LastIndex(d, "/v"); name == "" && at > 0 {
				name = known[d[:at]]
			}
		case "maven":
			group, _, _ := strings.Cut(d, ":")
			name = known[group]
		case "pypi":
			name = known[strings.ToLower(d)]
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
